import { BOARD_STREAM } from '#contract/event.ts'
import type { Changes } from '#contract/execution.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard, noteChangesOf } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'

/** Notes how much an execution that is over has changed, and tells the board. */
export async function noteChanges(tx: Tx, id: string, changes: Changes): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  const row = await noteChangesOf(tx, id, changes)
  if (row) await tellBoard(tx, boardEvent('execution.measured', { execution: asExecutionOnBoard(row) }))
}
