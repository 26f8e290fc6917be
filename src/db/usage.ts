import type { Usage, UsageQuery } from '#contract/usage.ts'
import type { Database } from './pool.ts'

type Part = Usage['parts'][number]
type Calls = Pick<Usage, 'calls' | 'refused' | 'failed' | 'durationMs'>
type Spent = Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd'>

const calls = `count(*) as calls, count(*) filter (where outcome = 'refused') as refused,
  count(*) filter (where outcome = 'failed') as failed, coalesce(sum(duration_ms), 0) as "durationMs"`
const spent = `coalesce(sum((usage->>'inputTokens')::bigint), 0)::bigint as "inputTokens",
  coalesce(sum((usage->>'outputTokens')::bigint), 0)::bigint as "outputTokens", coalesce(sum(cost_usd), 0) as "costUsd"`
// $1 is the session, $2 whose sessions; null for all.
const mine = `($1::uuid is null or session_id = $1)
  and ($2::text is null or exists (select 1 from sessions s where s.id = session_id and s.created_by = $2))`
const most = 500

/** With `createdBy` only of sessions that this principal opened. */
export async function readUsage(
  db: Database,
  { sessionId, by }: UsageQuery,
  createdBy?: string,
): Promise<Usage> {
  const values = [sessionId ?? null, createdBy ?? null]
  const rows = async <Row extends object>(text: string) => (await db.$client.query<Row>(text, values)).rows
  const tools = `from audit where kind = 'tool' and ${mine}`
  const turns = `from executions where ${mine}`
  const [[called], [used], parts] = await Promise.all([
    rows<Calls>(`select ${calls} ${tools}`),
    rows<Spent>(`select ${spent} ${turns}`),
    by === 'tool'
      ? rows<Part>(
          `select subject as tool, ${calls} ${tools} group by subject order by calls desc, subject limit ${most}`,
        )
      : rows<Part>(`select coalesce(c.session_id, t.session_id) as "sessionId",
          coalesce(calls, 0) as calls, coalesce(refused, 0) as refused, coalesce(failed, 0) as failed,
          coalesce("durationMs", 0) as "durationMs", coalesce("inputTokens", 0) as "inputTokens",
          coalesce("outputTokens", 0) as "outputTokens", coalesce("costUsd", 0) as "costUsd"
        from (select session_id, ${calls} ${tools} and session_id is not null group by session_id) c
        full join (select session_id, ${spent} ${turns} group by session_id) t using (session_id)
        order by coalesce(calls, 0) desc, 1 limit ${most}`),
  ])
  if (!called || !used) throw new Error('A sum was not answered')
  return { ...called, ...used, parts }
}
