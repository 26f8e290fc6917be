import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import type { EditTask, Task } from '#contract/task.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { findTasks, nearestPosition, shiftDepths, subtree, updateTask } from '#db/tasks.ts'
import { positionBetween } from '#domain/position.ts'
import { Problem } from '#domain/problem.ts'
import { asCard, changedFields, checkMove, depthBelow } from '#domain/task.ts'
import { checkAssignee, checkWorkspace, theNamed, theTask } from './find-task.ts'

export async function editTask(tx: Tx, by: Principal, id: string, edit: EditTask): Promise<Task> {
  await lockStream(tx, BOARD_STREAM)
  const before = await theTask(tx, id)
  const changed = changedFields(before, edit)
  if (changed.length === 0) return before

  const status = edit.status ?? before.status
  checkMove(before.status, status)
  if (changed.includes('assigneeAgentId')) await checkAssignee(tx, edit.assigneeAgentId ?? null)
  if (changed.includes('workspaceId')) await checkWorkspace(tx, by, edit.workspaceId ?? null)
  const moved = changed.includes('parentTaskId') ? await moveBelow(tx, before, edit.parentTaskId ?? null) : []
  const position =
    status === before.status
      ? before.position
      : positionBetween(await nearestPosition(tx, status, 'before', null), null)
  await updateTask(tx, id, { ...pick(edit, changed), position })

  const task = await theTask(tx, id)
  const deeper = moved.map((member) =>
    boardEvent('task.edited', { task: asCard(member), changed: ['depth'], by: by.id }, member.id),
  )
  await tellBoard(tx, ...deeper, ...whatHappened(before, task, changed, by))
  return task
}

function whatHappened(before: Task, task: Task, changed: (keyof EditTask)[], by: Principal): NewEvent[] {
  const happened: NewEvent[] = []
  const edited = changed.filter((field) => field !== 'status' && field !== 'assigneeAgentId')
  const written = asCard(task, changed.includes('description'))
  const card = asCard(task)
  if (edited.length > 0)
    happened.push(boardEvent('task.edited', { task: written, changed: edited, by: by.id }, task.id))
  if (changed.includes('assigneeAgentId')) {
    const [from, to] = [before.assigneeAgentId, task.assigneeAgentId]
    happened.push(boardEvent('task.assigned', { task: card, from, to, by: by.id }, task.id))
  }
  if (changed.includes('status')) {
    const [from, to] = [before.status, task.status]
    happened.push(boardEvent('task.moved', { task: card, from, to, by: by.id }, task.id))
  }
  return happened
}

/** Takes the whole tree along, and answers with those below the task whose depth has changed. */
async function moveBelow(tx: Tx, task: Task, parentId: string | null): Promise<Task[]> {
  const tree = await subtree(tx, task.id)
  if (parentId !== null && tree.some((member) => member.id === parentId))
    throw new Problem(
      'task_parent_cycle',
      'A task cannot be moved below itself or below one of its own subtasks',
    )
  const parent = parentId === null ? null : await theNamed(tx, 'parentTaskId', parentId)
  const depth = depthBelow(parent, Math.max(...tree.map((member) => member.below)))
  if (depth === task.depth) return []
  const ids = tree.map((member) => member.id)
  await shiftDepths(tx, ids, depth - task.depth)
  return findTasks(
    tx,
    ids.filter((id) => id !== task.id),
  )
}

function pick<Whole extends object, Field extends keyof Whole>(
  whole: Whole,
  fields: Field[],
): Pick<Whole, Field> {
  return Object.fromEntries(fields.map((field) => [field, whole[field]])) as Pick<Whole, Field>
}
