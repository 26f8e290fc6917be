import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { SessionFacts } from '#contract/agent-event.ts'
import type { Spent } from '#domain/turn.ts'
import type { Database, Tx } from './pool.ts'
import { executions, sessions, streams } from './schema.ts'

export type SessionRow = typeof sessions.$inferSelect

/** Opens a session together with its stream. */
export async function insertSession(tx: Tx, session: typeof sessions.$inferInsert): Promise<SessionRow> {
  await tx.insert(streams).values({ id: session.id })
  const [row] = await tx.insert(sessions).values(session).returning()
  if (!row) throw new Error('An inserted session was not returned')
  return row
}

export async function findSession(tx: Database | Tx, id: string): Promise<SessionRow | undefined> {
  const [row] = await tx.select().from(sessions).where(eq(sessions.id, id))
  return row
}

/** The execution of a session that has not ended, if there is one. */
export async function liveExecutionIn(tx: Tx, sessionId: string): Promise<string | undefined> {
  const [row] = await tx
    .select({ id: executions.id })
    .from(executions)
    .where(and(eq(executions.sessionId, sessionId), isNull(executions.endedAt)))
  return row?.id
}

/** What its turns have used together. */
export async function spentIn(db: Database | Tx, id: string): Promise<Spent> {
  const tokens = sql<number>`coalesce(sum((usage->>'inputTokens')::bigint + (usage->>'outputTokens')::bigint), 0)`
  const [row] = await db
    .select({ costUsd: sql<number>`coalesce(sum(cost_usd), 0)`, tokens: tokens.mapWith(Number) })
    .from(executions)
    .where(eq(executions.sessionId, id))
  return row ?? { costUsd: 0, tokens: 0 }
}

/** Whether an agent has been at work in it before. */
export async function hasBegun(db: Database | Tx, id: string): Promise<boolean> {
  return (await db.$count(executions, and(eq(executions.sessionId, id), isNotNull(executions.startedAt)))) > 0
}

/** What the agent tells of its session; what it does not tell stays as it was. */
export async function noteSessionFacts(tx: Tx, id: string, facts: SessionFacts): Promise<void> {
  const [row] = await tx.select({ facts: sessions.facts }).from(sessions).where(eq(sessions.id, id))
  const { sessionRef } = facts
  await tx
    .update(sessions)
    .set({ facts: { ...row?.facts, ...facts }, ...(sessionRef !== undefined && { sessionRef }) })
    .where(eq(sessions.id, id))
}
