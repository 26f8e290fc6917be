import type { Track, Tracks } from '../../../src/contract/track.ts'

/** A track with the moments of its calls, in milliseconds since 1970. */
export interface ShownTrack extends Omit<Track, 'calls'> {
  calls: readonly number[]
}

export interface ShownTracks {
  from: number
  until: number
  /** How far this browser's clock is ahead of the server's; what an answer takes on its way changes nothing. */
  ahead: number
  total: number
  tracks: readonly ShownTrack[]
}

/** An event may be seen a while after the moment that it bears: so much is asked for again. */
const overlapMs = 10_000

/** After when calls are to be read, if others are known. */
export const callsAfter = (known: ShownTracks | undefined): string | undefined =>
  known && new Date(Math.max(known.from, known.until - overlapMs)).toISOString()

/** What is shown after an answer that tells of calls only after some time; those before it are known. */
export function withAnswer(
  known: ShownTracks | undefined,
  answer: Tracks,
  after: string | undefined,
  receivedAt: number,
): ShownTracks {
  const from = Date.parse(answer.from)
  const ahead = receivedAt - Date.parse(answer.now)
  const since = after === undefined ? -Infinity : Date.parse(after)
  const before = new Map(known?.tracks.map((track) => [track.sessionId, track.calls]))
  return {
    from,
    until: Date.parse(answer.until),
    ahead: known && Math.abs(ahead - known.ahead) < 1000 ? known.ahead : ahead,
    total: answer.total,
    tracks: answer.tracks.map((track) => ({
      ...track,
      calls: [
        ...(before.get(track.sessionId) ?? []).filter((call) => call >= from && call < since),
        ...track.calls.map((ms) => from + ms),
      ],
    })),
  }
}

/** The order that is shown already, so that nothing moves under a pointer; what is new comes last. */
export function inOrder(tracks: readonly ShownTrack[], order: readonly string[]): ShownTrack[] {
  const place = new Map(order.map((id, index) => [id, index]))
  const placeOf = ({ sessionId }: ShownTrack) => place.get(sessionId) ?? order.length
  return tracks.toSorted((one, other) => placeOf(one) - placeOf(other))
}
