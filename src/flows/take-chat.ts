import { appendEvents, boardEvent, lockWithBoard, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { beginQueued, changeLeased, leaseOf } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { folderWorkspace } from '#db/workspaces.ts'
import type { Taker } from './take-execution.ts'

/** Takes the lease of a queued turn with a model, and begins it: it has no keeper to be brought to. Nothing when it is past that. */
export async function takeChat(
  tx: Tx,
  { id, sessionId }: Pick<ExecutionRow, 'id' | 'sessionId'>,
  { machineId, workerId, defaultFolder }: Taker,
): Promise<ExecutionRow | undefined> {
  // Whoever drives what has begun is not disturbed.
  const [, taken] = await Promise.all([
    lockWithBoard(tx, sessionId),
    beginQueued(tx, id, machineId, workerId),
  ])
  if (!taken) return undefined
  const row = taken.workspaceId === null ? await placed(tx, taken, defaultFolder) : taken
  const { status } = row
  await Promise.all([
    appendEvents(tx, sessionId, [{ type: 'data-status', payload: { status }, executionId: id }]),
    tellBoard(
      tx,
      boardEvent('execution.started', { execution: asExecutionOnBoard(row) }, row.taskId ?? undefined),
    ),
  ])
  return row
}

async function placed(tx: Tx, row: ExecutionRow, defaultFolder: string): Promise<ExecutionRow> {
  const { id: workspaceId } = await folderWorkspace(tx, row.machineId, defaultFolder)
  return changeLeased(tx, leaseOf(row), { workspaceId })
}
