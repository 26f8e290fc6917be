import type { Track, TrackSpan } from '../../../src/contract/track.ts'
import { clockTime, trackStrings } from '../../strings/track.ts'
import type { Aspect } from '../../ui/signal.tsx'
import { duration } from '../../ui/time.ts'
import type { ShownTrack } from './shown-tracks.ts'

export const aspectOf: Record<Track['state'], Aspect> = {
  working: 'moving',
  waits: 'waits',
  queued: 'queued',
  failed: 'stopped',
  idle: 'idle',
}

const amountOf = ({ marks }: ShownTrack, wanted: 'asked' | 'failed') =>
  marks.filter(({ kind }) => kind === wanted).length

/** How often what happened. */
export const countsOf = (track: ShownTrack) => ({
  calls: track.calls.length,
  asked: amountOf(track, 'asked'),
  failures: amountOf(track, 'failed'),
})

/** Since when it is as it is, if that began in sight. */
export function sinceOf({ spans, state }: ShownTrack): number | undefined {
  const last = spans.at(-1)
  if (!last) return undefined
  const isOver = state === 'idle' || state === 'failed'
  return Date.parse(isOver ? (last.to ?? last.from) : last.from)
}

/** The whole track in a sentence, for those who do not see it. */
export function summaryOf(track: ShownTrack): string {
  const { calls, asked, failures } = countsOf(track)
  const since = sinceOf(track)
  const words = trackStrings
  return [
    words.state[track.state] + (since === undefined ? '' : ` ${words.since(clockTime(since))}`),
    track.error,
    calls > 0 && words.calls(calls),
    asked > 0 && words.asked(asked),
    failures > 0 && words.failures(failures),
  ]
    .filter(Boolean)
    .join(', ')
}

const covers = (moment: number) => (span: TrackSpan) =>
  Date.parse(span.from) <= moment && (span.to === null || Date.parse(span.to) >= moment)

/** What it did at a moment. */
export const spanAt = ({ spans }: ShownTrack, moment: number): TrackSpan | undefined =>
  spans.findLast(covers(moment))

/** What is said of a moment of a track. */
export function wordsAt(track: ShownTrack, moment: number, now: number): string {
  const span = spanAt(track, moment)
  const words = trackStrings
  if (!span) return moment < Date.parse(track.begunAt) ? words.notBegun : words.state.idle
  const state = words.state[span.state]
  const from = clockTime(Date.parse(span.from))
  const took = duration(span.from, span.to, now)
  const told =
    span.to === null
      ? words.lasting(state, from, took)
      : words.lasted(state, from, clockTime(Date.parse(span.to)), took)
  const begin = Date.parse(span.from)
  const end = span.to === null ? now : Date.parse(span.to)
  const calls = track.calls.filter((call) => call >= begin && call <= end).length
  return calls > 0 ? `${told}, ${words.calls(calls)}` : told
}
