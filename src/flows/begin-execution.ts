import { BOARD_STREAM } from '#contract/event.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { changeLeased, lockLeased } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'

/** The keeper has it: from here on it runs. Throws LeaseLost when somebody else drives. */
export async function beginExecution(tx: Tx, lease: Lease): Promise<ExecutionRow> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, lease.sessionId)
  const before = await lockLeased(tx, lease)
  // Cancelled while it was on its way to the keeper: it began all the same, and is ended now.
  const status = before.status === 'queued' ? 'running' : before.status
  const row = await changeLeased(tx, lease, { status, startedAt: new Date() })
  await appendEvents(tx, lease.sessionId, [{ type: 'data-status', payload: { status }, executionId: row.id }])
  await tellBoard(
    tx,
    boardEvent('execution.started', { execution: asExecutionOnBoard(row) }, row.taskId ?? undefined),
  )
  return row
}
