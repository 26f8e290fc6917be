import type { ExecutionStatus } from '#contract/execution.ts'
import type { Track, TrackMark, TrackSpan } from '#contract/track.ts'

export interface TurnOnTrack {
  id: string
  status: ExecutionStatus
  createdAt: Date
  startedAt: Date | null
  endedAt: Date | null
  error: string | null
}

/** Something that a person was asked. */
export interface AskedOnTrack {
  executionId: string
  askedAt: Date
  answeredAt: Date | null
}

export interface TrackWindow {
  from: Date
  until: Date
}

/** While it lasts, `to` is for ever. */
interface Stretch {
  from: number
  to: number
}

const forever = Infinity
const endOf = (time: Date | null) => time?.getTime() ?? forever
const isUnderWay = ({ status }: TurnOnTrack) => status === 'running' || status === 'cancelling'
const hasFailed = ({ status }: TurnOnTrack) => status === 'failed' || status === 'timed_out'

/** What a session did in a window of time. Waiting for a person goes before whatever it did besides. */
export function trackOf(
  turns: readonly TurnOnTrack[],
  asked: readonly AskedOnTrack[],
  { from, until }: TrackWindow,
): Pick<Track, 'spans' | 'marks' | 'state' | 'error'> {
  const ordered = turns.toSorted((one, other) => one.createdAt.getTime() - other.createdAt.getTime())
  const of = Map.groupBy(asked, ({ executionId }) => executionId)
  const isSeen = ({ from: begin, to: end }: Stretch) => begin < until.getTime() && end >= from.getTime()
  const spans = ordered.flatMap((turn) =>
    spansOf(turn, of.get(turn.id) ?? [])
      .filter(isSeen)
      .map(asSpan),
  )
  const marks: TrackMark[] = [
    ...asked.map(({ executionId, askedAt }) => mark(executionId, 'asked', askedAt)),
    ...ordered.flatMap((turn) =>
      hasFailed(turn) && turn.endedAt ? [mark(turn.id, 'failed', turn.endedAt)] : [],
    ),
  ].filter(({ at }) => Date.parse(at) >= from.getTime() && Date.parse(at) < until.getTime())
  return { spans, marks, ...stateAt(until.getTime(), ordered, spans) }
}

const mark = (executionId: string, kind: TrackMark['kind'], at: Date): TrackMark => ({
  executionId,
  kind,
  at: at.toISOString(),
})

type TurnStretch = Stretch & Pick<TrackSpan, 'executionId' | 'state'>

function spansOf(turn: TurnOnTrack, asked: readonly AskedOnTrack[]): TurnStretch[] {
  const begin = turn.createdAt.getTime()
  // The clocks of machines differ: nothing ends before it begins.
  const end = Math.max(begin, endOf(turn.endedAt))
  const start = turn.startedAt?.getTime() ?? (isUnderWay(turn) ? begin : end)
  const started = Math.min(Math.max(begin, start), end)
  const waits = together(
    asked.map(({ askedAt, answeredAt }) => ({
      from: Math.max(begin, askedAt.getTime()),
      to: Math.min(end, endOf(answeredAt)),
    })),
  )
  const named = (state: TrackSpan['state']) => (stretch: Stretch) => ({
    ...stretch,
    executionId: turn.id,
    state,
  })
  return [
    ...without({ from: begin, to: started }, waits).map(named('queued')),
    ...without({ from: started, to: end }, waits).map(named('working')),
    ...waits.map(named('waits')),
  ].toSorted((one, other) => one.from - other.from)
}

/** As few stretches as cover these. */
function together(stretches: readonly Stretch[]): Stretch[] {
  const joined: Stretch[] = []
  for (const { from, to } of stretches.toSorted((one, other) => one.from - other.from)) {
    const last = joined.at(-1)
    if (to <= from) continue
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else joined.push({ from, to })
  }
  return joined
}

/** What is left of a stretch outside of others, which are in order and apart. */
function without({ from, to }: Stretch, others: readonly Stretch[]): Stretch[] {
  const left: Stretch[] = []
  let at = from
  for (const other of others) {
    if (other.from > at) left.push({ from: at, to: Math.min(to, other.from) })
    at = Math.max(at, other.to)
  }
  left.push({ from: at, to })
  return left.filter((stretch) => stretch.from < stretch.to)
}

const asSpan = ({ from, to, executionId, state }: TurnStretch): TrackSpan => ({
  executionId,
  state,
  from: new Date(from).toISOString(),
  to: to === forever ? null : new Date(to).toISOString(),
})

/** How it stands at a moment: what it does, or how the last turn before it ended. */
function stateAt(
  moment: number,
  turns: readonly TurnOnTrack[],
  spans: readonly TrackSpan[],
): Pick<Track, 'state' | 'error'> {
  const now = spans.findLast(({ to }) => to === null || Date.parse(to) >= moment)
  if (now) return { state: now.state, error: null }
  const last = turns.findLast(({ endedAt }) => endOf(endedAt) <= moment)
  return last && hasFailed(last) ? { state: 'failed', error: last.error } : { state: 'idle', error: null }
}
