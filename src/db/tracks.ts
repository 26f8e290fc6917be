import type { Track, TrackQuery, Tracks } from '#contract/track.ts'
import { trackOf } from '#domain/track.ts'
import type { AskedOnTrack, TrackWindow, TurnOnTrack } from '#domain/track.ts'
import { executionSpan } from './execution-span.ts'
import type { Database } from './pool.ts'

interface TurnRow extends TurnOnTrack {
  sessionId: string
  title: string
  agentName: string
  begunAt: Date
  total: number
}

const mostTracks = 200
const mostTurns = 20_000
/** Calls that are closer to each other than this part of the window are one tick. */
const finest = 400

// Those that are under way first, in an order that does not change while they are; then those that ended last.
const turnsText = `
  with there as materialized (
    select e.id, e.session_id, e.agent_name, e.status, e.created_at, e.started_at, e.ended_at, e.error
    from executions e where ${executionSpan} && tstzrange($1, $2)
  ), seen as (
    select there.*, s.title, s.created_at as begun_at
    from there join sessions s on s.id = there.session_id
    where s.trashed_at is null and ($3::text is null or s.created_by = $3)
  ), told as (
    select session_id, bool_or(ended_at is null) as is_live, max(ended_at) as last_end
    from seen group by session_id
  ), chosen as (
    select session_id, (select count(*) from told) as total,
      row_number() over (order by is_live desc, case when not is_live then last_end end desc nulls first, session_id desc) as place
    from told
  )
  select id, session_id as "sessionId", agent_name as "agentName", status, created_at as "createdAt",
    started_at as "startedAt", ended_at as "endedAt", error, title, begun_at as "begunAt", total
  from chosen join seen using (session_id) where place <= ${mostTracks}
  order by place, created_at limit ${mostTurns}`

const askedText = `
  select execution_id as "executionId", asked_at as "askedAt", answered_at as "answeredAt" from approvals
  where execution_id = any($1) and answered_by is distinct from 'policy'
    and asked_at < $3 and (answered_at is null or answered_at >= $2)
  order by asked_at`

const nextCall = (after: string) => `
  select c.at from events c where c.stream_id = s.id and c.type = 'tool-input-available'
    and c.at >= ${after} and c.at < $3 order by c.at limit 1`

// From one tick to the next that can be told apart: however many calls there were, only these are looked at.
const callsText = `
  select s.id as "sessionId", array_agg((extract(epoch from t.at - $5) * 1000)::int) as calls
  from unnest($1::uuid[]) as s (id) cross join lateral (
    with recursive tick as (
      (${nextCall('$2')})
      union all
      select (${nextCall("tick.at + $4 * interval '1 millisecond'")}) from tick where tick.at is not null
    )
    select at from tick where at is not null
  ) t group by s.id`

/** With `createdBy` only the sessions that this principal opened. */
export async function readTracks(
  db: Database,
  { minutes, until: wanted, callsAfter }: TrackQuery,
  createdBy?: string,
): Promise<Tracks> {
  const now = await clock(db)
  const until = wanted && new Date(wanted) < now ? new Date(wanted) : now
  const from = new Date(until.getTime() - minutes * 60_000)
  const window = { from, until }
  const turns = await named<TurnRow>(db, 'track_turns', turnsText, [from, until, createdBy ?? null])
  const ofSession = Map.groupBy(turns, ({ sessionId }) => sessionId)
  const [asked, calls] = await Promise.all([
    named<AskedOnTrack>(db, 'track_asked', askedText, [turns.map(({ id }) => id), from, until]),
    readCalls(db, [...ofSession.keys()], window, callsAfter),
  ])
  const askedIn = Map.groupBy(asked, ({ executionId }) => executionId)
  const tracks = [...ofSession].map(([sessionId, mine]): Track => {
    const questions = mine.flatMap(({ id }) => askedIn.get(id) ?? [])
    return {
      ...whose(sessionId, mine),
      ...trackOf(mine, questions, window),
      calls: calls.get(sessionId) ?? [],
    }
  })
  const [isoFrom, isoUntil, isoNow] = [from, until, now].map((time) => time.toISOString())
  return { from: isoFrom!, until: isoUntil!, now: isoNow!, total: turns[0]?.total ?? 0, tracks }
}

function whose(sessionId: string, turns: readonly TurnRow[]) {
  const last = turns.at(-1)
  if (!last) throw new Error('A track without a turn')
  const { title, agentName, begunAt } = last
  return { sessionId, title, agentName, begunAt: begunAt.toISOString() }
}

async function readCalls(
  db: Database,
  sessionIds: readonly string[],
  { from, until }: TrackWindow,
  after: string | undefined,
): Promise<Map<string, number[]>> {
  const begin = after && new Date(after) > from ? new Date(after) : from
  const apart = (until.getTime() - from.getTime()) / finest
  const values = [sessionIds, begin, until, apart, from]
  const rows = await named<{ sessionId: string; calls: number[] }>(db, 'track_calls', callsText, values)
  return new Map(rows.map(({ sessionId, calls }) => [sessionId, calls]))
}

/** Postgres's: those of the machines need not agree. */
async function clock(db: Database): Promise<Date> {
  const [row] = await named<{ now: Date }>(db, 'track_clock', 'select clock_timestamp() as now', [])
  if (!row) throw new Error('Postgres does not know the time')
  return row.now
}

const named = async <Row extends object>(db: Database, name: string, text: string, values: unknown[]) =>
  (await db.$client.query<Row>({ name, text, values })).rows
