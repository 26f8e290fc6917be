import { eq, sql } from 'drizzle-orm'
import type { Agent } from '#contract/agent.ts'
import type { Capability } from '#contract/capability.ts'
import type { Task } from '#contract/task.ts'
import type { Spent } from '#domain/turn.ts'
import { asAgent } from './agents.ts'
import { asCapability } from './capabilities.ts'
import type { ExecutionRow } from './executions.ts'
import { madeOnce } from './made-once.ts'
import type { Database, Tx } from './pool.ts'
import { agents, capabilities, executions, sessions, tasks } from './schema.ts'
import type { SessionRow } from './sessions.ts'

/** A turn with a model, with all that is asked before it begins. */
export interface ChatTurn {
  execution: ExecutionRow
  session: SessionRow
  agent: Agent | null
  capability: Capability | null
  task: Pick<Task, 'title' | 'description'> | null
  /** By the other turns of its session. */
  spentHere: Spent
  /** By all other turns that began today, by Postgres's clock in UTC. */
  spentTodayUsd: number
}

// Somebody waits for the first word: what would be eight questions is one.
const selectTurn = madeOnce('find_chat_turn', (db) =>
  db
    .select({
      execution: executions,
      session: sessions,
      agent: agents,
      capability: capabilities,
      task: { title: tasks.title, description: tasks.description },
      costUsd: sql<number>`(select coalesce(sum(o.cost_usd), 0) from executions o
        where o.session_id = ${executions.sessionId} and o.id <> ${executions.id})`,
      tokens:
        sql`(select coalesce(sum((o.usage->>'inputTokens')::bigint + (o.usage->>'outputTokens')::bigint), 0)
        from executions o where o.session_id = ${executions.sessionId} and o.id <> ${executions.id})`.mapWith(
          Number,
        ),
      spentTodayUsd: sql<number>`(select coalesce(sum(o.cost_usd), 0) from executions o
        where o.started_at >= date_trunc('day', now(), 'UTC') and o.id <> ${executions.id})`,
    })
    .from(executions)
    .innerJoin(sessions, eq(sessions.id, executions.sessionId))
    .leftJoin(agents, eq(agents.id, executions.agentId))
    .leftJoin(capabilities, eq(capabilities.id, executions.capabilityId))
    .leftJoin(tasks, eq(tasks.id, executions.taskId))
    .where(eq(executions.id, sql.placeholder('id'))),
)

export async function findChatTurn(db: Database | Tx, executionId: string): Promise<ChatTurn | undefined> {
  const [row] = await selectTurn(db, { id: executionId })
  if (!row) return undefined
  const { costUsd, tokens, agent, capability, ...rest } = row
  return {
    ...rest,
    agent: agent && asAgent(agent),
    capability: capability && asCapability(capability),
    spentHere: { costUsd, tokens },
  }
}
