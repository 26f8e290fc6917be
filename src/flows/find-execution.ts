import type { Principal } from '#contract/access.ts'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database, Tx } from '#db/pool.ts'
import { findSessionCreator } from '#db/session-reads.ts'
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

/** Whether this principal may look into a session. */
export async function maySee(db: Database | Tx, principal: Principal, sessionId: string): Promise<boolean> {
  return principal.kind === 'owner' || (await findSessionCreator(db, sessionId)) === principal.id
}
