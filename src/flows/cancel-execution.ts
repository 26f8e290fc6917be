import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import type { Execution, StatusChange } from '#contract/execution.ts'
import { enqueueCommand } from '#db/commands.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecution, asExecutionOnBoard, changeExecution, lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Tx } from '#db/pool.ts'
import { nextOnCancel } from '#domain/execution.ts'
import { dropQueued } from './drop-queued.ts'
import { visibleExecution } from './find-execution.ts'

/** What waits ends at once; what runs is told to end, and its keeper proves it. */
export async function cancelExecution(
  tx: Tx,
  by: Principal,
  handOver: Pick<HandOver, 'settle'>,
  id: string,
): Promise<Execution> {
  const { sessionId } = await visibleExecution(tx, by, id)
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, sessionId)
  const row = await lockExecution(tx, id)
  // Once a keeper was asked to start it, only the keeper can say that nothing of it runs.
  const mayRun = row.status === 'queued' && row.keeperId !== null
  const next = mayRun ? 'cancelling' : nextOnCancel(row.status)
  if (next === row.status) return asExecution(row)
  if (next === 'cancelling') return tellRunning(tx, by, row)
  const dropped = await dropQueued(tx, row, 'Cancelled before it started', by.id)
  await handOver.settle(row.machineId, row.queue, row.id, tx)
  return asExecution(dropped)
}

async function tellRunning(tx: Tx, by: Principal, row: ExecutionRow): Promise<Execution> {
  const changed = await changeExecution(tx, row.id, [row.status], { status: 'cancelling' })
  if (!changed) throw new Error(`Execution ${row.id} changed although it was locked`)
  const execution = asExecutionOnBoard(changed)
  await appendEvents(tx, row.sessionId, [statusEvent(row.id, { status: 'cancelling' })])
  await tellBoard(tx, boardEvent('execution.cancelling', { execution, by: by.id }, row.taskId ?? undefined))
  await enqueueCommand(tx, row.id, { type: 'cancel', payload: {}, createdBy: by.id })
  return asExecution(changed)
}

const statusEvent = (executionId: string, payload: StatusChange): NewEvent => ({
  type: 'data-status',
  payload,
  executionId,
})
