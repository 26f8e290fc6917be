import type { Spend, SpendQuery } from '#contract/spend.ts'
import { executionSpan } from './execution-span.ts'
import type { Database } from './pool.ts'

type Sums = Pick<Spend, 'turns' | 'inputTokens' | 'outputTokens' | 'costUsd' | 'unpriced'>
type Part = Spend['parts'][number]

const most = 500
const sums = `count(*) as turns, coalesce(sum((e.usage->>'inputTokens')::bigint), 0)::bigint as "inputTokens",
  coalesce(sum((e.usage->>'outputTokens')::bigint), 0)::bigint as "outputTokens",
  coalesce(sum(e.cost_usd), 0) as "costUsd", count(*) filter (where e.cost_usd is null) as unpriced`

// $1 is the time zone, $2 how many days, $3 whose sessions (null for all). Programs that run cost nothing.
const begin = `(date_trunc('day', now(), $1) - ($2::int - 1) * interval '1 day')`
const turns = `from executions e
  where ${executionSpan} && tstzrange(${begin}, now(), '[]') and coalesce(e.ended_at, now()) >= ${begin}
    and e.queue <> 'tool' and e.started_at is not null
    and ($3::text is null or exists (select 1 from sessions s where s.id = e.session_id and s.created_by = $3))`
const dayOf = (time: string) => `to_char(${time} at time zone $1, 'YYYY-MM-DD')`
const dearest = `order by "costUsd" desc, "outputTokens" desc limit ${most}`

const parts: Record<SpendQuery['by'], string> = {
  day: `select ${dayOf('coalesce(e.ended_at, now())')} as day, ${sums} ${turns} group by 1 order by 1`,
  agent: `select e.agent_id as "agentId", (array_agg(e.agent_name order by e.id desc))[1] as "agentName", ${sums} ${turns}
    group by e.agent_id, case when e.agent_id is null then e.agent_name end ${dearest}`,
  task: `select spent.*, t.title from (select e.task_id as "taskId", ${sums} ${turns} group by e.task_id) spent
    left join tasks t on t.id = spent."taskId" ${dearest}`,
}

/** With `createdBy` only of sessions that this principal opened. */
export async function readSpend(
  db: Database,
  { by, days, timeZone }: SpendQuery,
  createdBy?: string,
): Promise<Spend> {
  const values = [timeZone, days, createdBy ?? null]
  const rows = async <Row extends object>(text: string) => (await db.$client.query<Row>(text, values)).rows
  const [[all], told] = await Promise.all([
    rows<Sums & Pick<Spend, 'since' | 'today'>>(
      `select ${sums}, ${dayOf(begin)} as since, ${dayOf('now()')} as today ${turns}`,
    ),
    rows<Part>(parts[by]),
  ])
  if (!all) throw new Error('A sum was not answered')
  return { ...all, parts: told }
}
