import type { ChainLink, Family } from '#domain/spawn.ts'
import type { Database, Tx } from './pool.ts'

// A session comes of another one when one of its executions was started below an execution of that one.
const up = `up as (
    select $1::uuid as session_id
    union
    select parent.session_id from up
      join executions child on child.session_id = up.session_id
      join executions parent on parent.id = child.parent_execution_id)`

const below = `below as (
    select session_id as top, session_id from up
    union
    select below.top, child.session_id from below
      join executions parent on parent.session_id = below.session_id
      join executions child on child.parent_execution_id = parent.id)`

const chainText = `
  with recursive ${up}, ${below}
  select agent.name as "agentName", agent.max_budget_usd as "maxBudgetUsd", (
      select coalesce(sum(cost_usd), 0) from executions
      where session_id in (select below.session_id from below where below.top = up.session_id)
        and id is distinct from $2::uuid
    ) as "spentUsd"
  from up join sessions session on session.id = up.session_id join agents agent on agent.id = session.agent_id`

/** A session and those it came of, up to the one that a person began; what `without` has cost is left out. */
export async function chainAbove(
  db: Database | Tx,
  sessionId: string,
  without?: string,
): Promise<ChainLink[]> {
  return (await db.$client.query<ChainLink>(chainText, [sessionId, without ?? null])).rows
}

const familyText = `
  with recursive ${up}, ${below}
  select count(*) filter (where ended_at is null) as live,
    extract(epoch from clock_timestamp() - max(created_at) filter (where agent_id = $2))::float8 as "startedSecAgo"
  from executions
  where session_id in (select session_id from below) and created_by like 'agent:%'`

/** What agents have started of everything that came of the same beginning as this session. */
export async function familyOf(tx: Tx, sessionId: string, agentId: string): Promise<Family> {
  const { rows } = await tx.$client.query<Family>(familyText, [sessionId, agentId])
  const [family] = rows
  if (!family) throw new Error('A count was not answered')
  return family
}

/** How deep the executions of a session are that were asked for so far. */
export async function depthOfSession(tx: Tx, sessionId: string): Promise<number> {
  const text = 'select coalesce(max(depth), 0) as depth from executions where session_id = $1'
  const { rows } = await tx.$client.query<{ depth: number }>(text, [sessionId])
  return rows[0]?.depth ?? 0
}
