import type { TrackSpan } from '../../../src/contract/track.ts'
import type { ShownTrack } from './shown-tracks.ts'

/** Where a moment is: so many pixels right of the anchor. */
export interface Scale {
  anchor: number
  msPerPixel: number
}

export interface Drawing {
  idle: string
  lines: Record<TrackSpan['state'], string>
  calls: string
  asked: string
  failed: string
}

/** What lasts is drawn far beyond now, and cut off there: nothing is drawn anew as time goes by. */
const farMs = 24 * 3_600_000
/** A line has round ends, so this much is a dot. */
const shortest = 0.5

const around = (pixels: number) => Math.round(pixels * 10) / 10

/** A track as the paths of an SVG whose middle line is at 0. */
export function drawTrack(track: ShownTrack, { anchor, msPerPixel }: Scale): Drawing {
  const x = (moment: number) => around((moment - anchor) / msPerPixel)
  const end = x(anchor + farMs)
  const lines = { queued: '', working: '', waits: '' }
  for (const { state, from, to } of track.spans) {
    const begin = x(Date.parse(from))
    const until = to === null ? end : Math.max(x(Date.parse(to)), begin + shortest)
    lines[state] += `M${begin} 0H${until}`
  }
  const marks = (kind: 'asked' | 'failed', shape: string) =>
    track.marks
      .flatMap((mark) => (mark.kind === kind ? [`M${x(Date.parse(mark.at))} 0${shape}`] : []))
      .join('')
  return {
    idle: `M${x(Date.parse(track.begunAt))} 0H${end}`,
    lines,
    calls: track.calls.map((moment) => `M${x(moment)} -5V5`).join(''),
    asked: marks('asked', 'm0 -5.5 5.5 5.5 -5.5 5.5 -5.5 -5.5z'),
    failed: marks('failed', 'm-4.5 -4.5h9v9h-9z'),
  }
}
