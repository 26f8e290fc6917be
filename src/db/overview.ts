import type { Overview } from '#contract/overview.ts'
import { executionSpan } from './execution-span.ts'
import type { Database } from './pool.ts'

type Failure = Omit<Overview['failures'][number], 'endedAt'> & { endedAt: Date; total: number }

const mine = `join sessions s on s.id = e.session_id
  and s.trashed_at is null and ($1::text is null or s.created_by = $1)`
// By the index first, whoever asks.
const ended = `with ended as materialized (
  select e.id, e.session_id, e.agent_name, e.status, e.error, e.ended_at from executions e
  where ${executionSpan} && tstzrange(now() - interval '1 day', now()) and e.ended_at >= now() - interval '1 day')`

const countsText = `${ended}, live as (select e.* from executions e ${mine} where e.ended_at is null and e.waiting_approvals = 0)
  select
    (select count(*) from live where status <> 'queued') as working,
    (select count(*) from live where status = 'queued') as queued,
    (select count(*) from ended e ${mine} where e.status = 'succeeded') as succeeded,
    not exists (select 1 from sessions s where $1::text is null or s.created_by = $1) as "isNew"`

// Whoever goes on with a session has seen how its last turn ended.
const failuresText = `${ended}
  select e.id as "executionId", e.session_id as "sessionId", s.title, e.agent_name as "agentName", e.status, e.error,
    e.ended_at as "endedAt", count(*) over () as total
  from ended e ${mine}
  where e.status in ('failed', 'timed_out')
    and not exists (select 1 from executions later where later.session_id = e.session_id and later.id > e.id)
  order by e.ended_at desc limit 10`

/** What moves and what went wrong. With `createdBy` only in sessions that this principal opened. */
export async function readOverview(db: Database, createdBy?: string): Promise<Overview> {
  const values = [createdBy ?? null]
  const [counted, failures] = await Promise.all([
    db.$client.query<Omit<Overview, 'failed' | 'failures'>>({
      name: 'overview_counts',
      text: countsText,
      values,
    }),
    db.$client.query<Failure>({ name: 'overview_failures', text: failuresText, values }),
  ])
  const [counts] = counted.rows
  if (!counts) throw new Error('A count was not answered')
  return {
    ...counts,
    failed: failures.rows[0]?.total ?? 0,
    failures: failures.rows.map(({ total: _total, endedAt, ...failure }) => ({
      ...failure,
      endedAt: endedAt.toISOString(),
    })),
  }
}
