import { and, eq, exists, inArray, isNull, notExists } from 'drizzle-orm'
import type { Database } from './pool.ts'
import { executions, tokens } from './schema.ts'
import { tellRevoked } from './tokens.ts'

/** Tokens of agents on this machine in whose sessions nothing is under way, with the execution that each was made for. */
export async function agentTokensAtRest(
  db: Database,
  machineId: string,
): Promise<{ id: string; executionId: string }[]> {
  const own = db
    .select()
    .from(executions)
    .where(and(eq(executions.id, tokens.executionId), eq(executions.machineId, machineId)))
  const live = db
    .select()
    .from(executions)
    .where(and(eq(executions.sessionId, tokens.sessionId), isNull(executions.endedAt)))
  const found = await db
    .select({ id: tokens.id, executionId: tokens.executionId })
    .from(tokens)
    .where(and(eq(tokens.kind, 'agent'), exists(own), notExists(live)))
  return found.flatMap(({ id, executionId }) => (executionId === null ? [] : [{ id, executionId }]))
}

export async function deleteTokens(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const gone = await db
    .delete(tokens)
    .where(inArray(tokens.id, [...ids]))
    .returning({ sessionId: tokens.sessionId })
  for (const { sessionId } of gone) if (sessionId !== null) await tellRevoked(db, sessionId)
}
