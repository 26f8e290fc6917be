import type { StatusChange } from '#contract/execution.ts'
import { dropCommands } from '#db/commands.ts'
import { appendEvents, boardEvent, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard, changeExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { expireApprovalsOf } from './ask-approval.ts'
import { systemLine } from './system-line.ts'

/** Ends an execution of which nothing has begun. Its streams and its row are locked. */
export async function dropQueued(
  tx: Tx,
  row: ExecutionRow,
  error: string,
  by: string,
): Promise<ExecutionRow> {
  const end = { status: 'cancelled', error } as const satisfies StatusChange
  const unheard = await dropCommands(tx, row.id)
  const lastSeq = await appendEvents(tx, row.sessionId, [
    ...unheard.map(({ type }) => systemLine(row.id, `Not run, it never began: ${type}`)),
    ...(await expireApprovalsOf(tx, row, error, by)),
    { type: 'data-status', payload: end, executionId: row.id },
  ])
  const dropped = await changeExecution(tx, row.id, ['queued'], { ...end, lastSeq, endedAt: new Date() })
  if (!dropped) throw new Error(`Execution ${row.id} changed although it was locked`)
  const execution = asExecutionOnBoard(dropped)
  await tellBoard(tx, boardEvent('execution.completed', { execution }, row.taskId ?? undefined))
  return dropped
}
