import { and, eq, isNull } from 'drizzle-orm'
import type { Tx } from './pool.ts'
import { executions, sessions, streams } from './schema.ts'

export type SessionRow = typeof sessions.$inferSelect

/** Opens a session together with its stream. */
export async function insertSession(tx: Tx, session: typeof sessions.$inferInsert): Promise<SessionRow> {
  await tx.insert(streams).values({ id: session.id })
  const [row] = await tx.insert(sessions).values(session).returning()
  if (!row) throw new Error('An inserted session was not returned')
  return row
}

export async function findSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
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
