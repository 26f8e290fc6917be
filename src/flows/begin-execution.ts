import { BOARD_STREAM } from '#contract/event.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { changeLeased } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'

/** The keeper has it: from here on it runs. Throws LeaseLost when it was cancelled or taken meanwhile. */
export async function beginExecution(tx: Tx, lease: Lease): Promise<ExecutionRow> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, lease.sessionId)
  const row = await changeLeased(tx, lease, { status: 'running', startedAt: new Date() })
  await appendEvents(tx, lease.sessionId, [
    { type: 'data-status', payload: { status: 'running' }, executionId: row.id },
  ])
  await tellBoard(
    tx,
    boardEvent('execution.started', { execution: asExecutionOnBoard(row) }, row.taskId ?? undefined),
  )
  return row
}
