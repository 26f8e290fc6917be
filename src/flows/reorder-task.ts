import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { ReorderTask, Task, TaskStatus } from '#contract/task.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { findTask, nearestPosition, positionsOf, setPositions, updateTask } from '#db/tasks.ts'
import { needsRespread, positionBetween, spread } from '#domain/position.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { asCard, checkMove } from '#domain/task.ts'
import { theTask } from './find-task.ts'

/** Puts a card at another place of its column, or into another column. */
export async function reorderTask(tx: Tx, by: Principal, id: string, wanted: ReorderTask): Promise<Task> {
  await lockStream(tx, BOARD_STREAM) // the board has one writer at a time, so the gap found below is still a gap
  const before = await theTask(tx, id)
  const status = wanted.status ?? before.status
  checkMove(before.status, status)
  for (const field of ['beforeId', 'afterId'] as const)
    if (wanted[field] === id) throw bodyMisfit(field, 'must be another task')

  const position = await findPlace(tx, status, wanted)
  await updateTask(tx, id, { status, position })
  if (needsRespread(position)) await respread(tx, status)

  const task = await theTask(tx, id)
  const [from, to] = [before.status, status]
  const card = asCard(task)
  await tellBoard(
    tx,
    from === to
      ? boardEvent('task.reordered', { task: card, by: by.id }, id)
      : boardEvent('task.moved', { task: card, from, to, by: by.id }, id),
  )
  return task
}

async function findPlace(tx: Tx, status: TaskStatus, { beforeId, afterId }: ReorderTask): Promise<string> {
  // With both neighbours named, the upper one counts: the lower may have moved since the caller looked.
  if (afterId) {
    const above = await neighbour(tx, afterId, status)
    return positionBetween(above, await nearestPosition(tx, status, 'after', above))
  }
  if (beforeId) {
    const below = await neighbour(tx, beforeId, status)
    return positionBetween(await nearestPosition(tx, status, 'before', below), below)
  }
  return positionBetween(await nearestPosition(tx, status, 'before', null), null)
}

async function neighbour(tx: Tx, id: string, status: TaskStatus): Promise<string> {
  const task = await findTask(tx, id)
  if (task?.status === status) return task.position
  throw new Problem(
    'task_neighbour_elsewhere',
    task
      ? `Task ${id} is in ${task.status}, not in ${status}: look at the board again`
      : `Task ${id} is gone`,
    { taskId: id },
  )
}

async function respread(tx: Tx, status: TaskStatus): Promise<void> {
  const column = await positionsOf(tx, status)
  await setPositions(
    tx,
    column.map((card) => card.id),
    spread(column.length),
  )
  await tellBoard(tx, boardEvent('column.respread', { status }))
}
