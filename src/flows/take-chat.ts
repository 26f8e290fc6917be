import { BOARD_STREAM } from '#contract/event.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard, lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { changeLeased, leaseOf, takeLease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { folderWorkspace } from '#db/workspaces.ts'
import type { Taker } from './take-execution.ts'

/** Takes the lease of a queued turn with a model, and begins it: it has no keeper to be brought to. Nothing when it is past that. */
export async function takeChat(
  tx: Tx,
  { id, sessionId }: Pick<ExecutionRow, 'id' | 'sessionId'>,
  { machineId, workerId, defaultFolder }: Taker,
): Promise<ExecutionRow | undefined> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  // Whoever drives what has begun is not disturbed.
  if ((await lockExecution(tx, id)).status !== 'queued') return undefined
  const taken = await takeLease(tx, id, machineId, workerId)
  if (!taken) return undefined
  const workspaceId = taken.workspaceId ?? (await folderWorkspace(tx, machineId, defaultFolder)).id
  const status = 'running'
  const row = await changeLeased(tx, leaseOf(taken), { status, startedAt: new Date(), workspaceId })
  await appendEvents(tx, sessionId, [{ type: 'data-status', payload: { status }, executionId: id }])
  await tellBoard(
    tx,
    boardEvent('execution.started', { execution: asExecutionOnBoard(row) }, row.taskId ?? undefined),
  )
  return row
}
