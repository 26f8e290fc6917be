import type { Principal } from '#contract/access.ts'
import type { Session } from '#contract/session.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database, Tx } from '#db/pool.ts'
import { findSessionCreator, readSession } from '#db/session-reads.ts'
import { Problem } from '#domain/problem.ts'

/** The owner sees every execution, others those of the sessions they opened. What is not theirs does not exist for them. */
export async function visibleExecution(
  db: Database | Tx,
  principal: Principal,
  id: string,
): Promise<ExecutionRow> {
  const execution = await findExecution(db, id)
  if (execution && (await maySee(db, principal, execution.sessionId))) return execution
  throw new Problem('execution_not_found', `No execution ${id}`)
}

/** The same for whoever wants what it said, which is kept for a while only. */
export async function executionWithOutput(
  db: Database | Tx,
  principal: Principal,
  id: string,
): Promise<ExecutionRow> {
  const execution = await visibleExecution(db, principal, id)
  const { outputRemovedAt } = execution
  if (!outputRemovedAt) return execution
  const removedAt = outputRemovedAt.toISOString()
  throw new Problem(
    'output_removed',
    `The output of this execution was removed on ${removedAt.slice(0, 10)}: it is kept for a limited time (LOG_RETENTION_DAYS)`,
    { removedAt, endedAt: execution.endedAt?.toISOString(), reason: 'retention' },
  )
}

/** Whether this principal may look into a session. An agent sees its own and no other, not even of the person it works for. */
export async function maySee(db: Database | Tx, principal: Principal, sessionId: string): Promise<boolean> {
  if (principal.agent) return principal.agent.sessionId === sessionId
  return principal.kind === 'owner' || (await findSessionCreator(db, sessionId)) === principal.id
}

/** A session by the same rule. */
export async function visibleSession(db: Database, principal: Principal, id: string): Promise<Session> {
  const session = await readSession(db, id)
  if (session && (principal.kind === 'owner' || session.createdBy === principal.id)) return session
  throw new Problem('session_not_found', `No session ${id}`)
}
