import { createStore, useStore } from '../../store.ts'
import { clockTime } from '../../strings/track.ts'
import type { ShownTrack } from './shown-tracks.ts'
import { summaryOf, wordsAt } from './track-words.ts'

/** What is pointed at: a moment of a track, or the track itself where a keyboard leads to it. */
interface Pointed {
  track: ShownTrack
  moment?: number
  now: number
  x: number
  y: number
}

const pointed = createStore<Pointed | null>(null)

export const point = (at: Pointed | null): void => {
  if (at !== pointed.get()) pointed.set(at)
}

/** Says what is pointed at. Screen readers have it from the row itself. */
export function TrackTip() {
  const at = useStore(pointed)
  if (!at) return null
  const { track, moment, now, x, y } = at
  const isFarRight = x > window.innerWidth / 2
  return (
    <div
      aria-hidden
      data-tip
      className="pointer-events-none fixed z-50 flex max-w-75 flex-col rounded-control border border-edge bg-panel px-2.5 py-1.5 text-small shadow-float"
      style={{
        left: isFarRight ? undefined : x + 12,
        right: isFarRight ? window.innerWidth - x + 12 : undefined,
        top: Math.min(y + 14, window.innerHeight - 90),
      }}
    >
      <bdi className="truncate font-medium">{track.title}</bdi>
      {moment === undefined ? (
        <span className="text-soft">{summaryOf(track)}</span>
      ) : (
        <>
          <span className="text-soft tabular-nums">{wordsAt(track, moment, now)}</span>
          <span className="text-mute tabular-nums">
            {clockTime(moment)} · <bdi>{track.agentName}</bdi>
          </span>
        </>
      )}
      {track.error && <bdi className="line-clamp-2 text-stop wrap-anywhere">{track.error}</bdi>}
    </div>
  )
}
