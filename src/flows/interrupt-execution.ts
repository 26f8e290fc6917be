import type { Principal } from '#contract/access.ts'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import { enqueueCommand } from '#db/commands.ts'
import { lockStream } from '#db/events.ts'
import { asExecution, lockExecution } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { visibleExecution } from './find-execution.ts'
import { adapterOf } from './send-message.ts'

/** Asks an agent to stop what it does and listen; it goes on living. */
export async function interruptExecution(tx: Tx, by: Principal, id: string): Promise<Execution> {
  const { sessionId } = await visibleExecution(tx, by, id)
  await lockStream(tx, sessionId)
  const row = await lockExecution(tx, id)
  if (!isLive(row.status))
    throw new Problem('execution_ended', 'The execution is over already', { status: row.status })
  if ((await adapterOf(tx, row)) === 'template')
    throw new Problem('cannot_interrupt', 'A command cannot be interrupted, only cancelled')
  await enqueueCommand(tx, id, { type: 'interrupt', payload: {}, createdBy: by.id })
  return asExecution(row)
}
