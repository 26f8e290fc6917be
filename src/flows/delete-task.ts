import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import { dependenciesOn } from '#db/dependencies.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { deleteTask as deleteRow, findTasks, subtree, touchTasks } from '#db/tasks.ts'
import type { Dependency } from '#domain/dependency.ts'
import { Problem } from '#domain/problem.ts'
import { asCard } from '#domain/task.ts'
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
  const gone = new Set(tree.map((member) => member.id))
  const waited = (await dependenciesOn(tx, [...gone])).filter(({ taskId }) => !gone.has(taskId))
  await deleteRow(tx, id)
  const freed = await noLongerWaiting(tx, by, waited)
  const deleted = tree.map(({ id: taskId, title }) =>
    boardEvent('task.deleted', { taskId, title, by: by.id }, taskId),
  )
  await tellBoard(tx, ...freed, ...deleted)
}

/** Those who waited for a task that is gone wait no more, and their history says so. */
async function noLongerWaiting(tx: Tx, by: Principal, waited: Dependency[]): Promise<NewEvent[]> {
  const ids = [...new Set(waited.map(({ taskId }) => taskId))]
  if (ids.length === 0) return []
  await touchTasks(tx, ids)
  const cards = new Map((await findTasks(tx, ids)).map((task) => [task.id, asCard(task)]))
  return waited.map(({ taskId, dependsOnTaskId }) =>
    boardEvent('task.dependency_removed', { task: cards.get(taskId)!, dependsOnTaskId, by: by.id }, taskId),
  )
}
