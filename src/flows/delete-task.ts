import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { deleteTask as deleteRow, subtree } from '#db/tasks.ts'
import { Problem } from '#domain/problem.ts'
import { theTask } from './find-task.ts'

/** Deletes a task, and what is below it only when told so. Its history stays in the event log. */
export async function deleteTask(tx: Tx, by: Principal, id: string, withSubtasks: boolean): Promise<void> {
  await lockStream(tx, BOARD_STREAM)
  await theTask(tx, id)
  const tree = await subtree(tx, id)
  if (tree.length > 1 && !withSubtasks)
    throw new Problem(
      'task_has_subtasks',
      `The task has ${tree.length - 1} below it: move or delete them first, or repeat with ?subtasks=delete`,
      { subtasks: tree.length - 1 },
    )
  await deleteRow(tx, id)
  for (const { id: taskId, title } of tree)
    await tellBoard(tx, 'task.deleted', { taskId, title, by: by.id }, taskId)
}
