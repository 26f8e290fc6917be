import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { Task } from '#contract/task.ts'
import { deleteDependency, insertDependency, reachableDependencies } from '#db/dependencies.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { touchTasks } from '#db/tasks.ts'
import { checkDependency } from '#domain/dependency.ts'
import { Problem } from '#domain/problem.ts'
import { asCard } from '#domain/task.ts'
import { theNamed, theTask } from './find-task.ts'

export async function addDependency(
  tx: Tx,
  by: Principal,
  taskId: string,
  dependsOnTaskId: string,
): Promise<Task> {
  await lockStream(tx, BOARD_STREAM)
  await theTask(tx, taskId)
  await theNamed(tx, 'dependsOnTaskId', dependsOnTaskId)
  checkDependency({ taskId, dependsOnTaskId }, await reachableDependencies(tx, dependsOnTaskId))
  if (!(await insertDependency(tx, taskId, dependsOnTaskId)))
    throw new Problem('dependency_exists', `Task ${taskId} already waits for ${dependsOnTaskId}`)
  return tellChange(tx, by, 'task.dependency_added', taskId, dependsOnTaskId)
}

export async function removeDependency(
  tx: Tx,
  by: Principal,
  taskId: string,
  dependsOnTaskId: string,
): Promise<Task> {
  await lockStream(tx, BOARD_STREAM)
  await theTask(tx, taskId)
  if (!(await deleteDependency(tx, taskId, dependsOnTaskId)))
    throw new Problem('dependency_not_found', `Task ${taskId} does not wait for ${dependsOnTaskId}`)
  return tellChange(tx, by, 'task.dependency_removed', taskId, dependsOnTaskId)
}

async function tellChange(
  tx: Tx,
  by: Principal,
  type: 'task.dependency_added' | 'task.dependency_removed',
  taskId: string,
  dependsOnTaskId: string,
): Promise<Task> {
  await touchTasks(tx, [taskId])
  const task = await theTask(tx, taskId)
  await tellBoard(tx, boardEvent(type, { task: asCard(task), dependsOnTaskId, by: by.id }, taskId))
  return task
}
