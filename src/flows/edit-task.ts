import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { EditTask, Task } from '#contract/task.ts'
import { lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { nearestPosition, shiftDepths, subtree, updateTask } from '#db/tasks.ts'
import { positionBetween } from '#domain/position.ts'
import { Problem } from '#domain/problem.ts'
import { asCard, changedFields, checkMove, depthBelow } from '#domain/task.ts'
import { checkAssignee, theParent, theTask } from './find-task.ts'

export async function editTask(tx: Tx, by: Principal, id: string, edit: EditTask): Promise<Task> {
  await lockStream(tx, BOARD_STREAM)
  const before = await theTask(tx, id)
  const changed = changedFields(before, edit)
  if (changed.length === 0) return before

  const status = edit.status ?? before.status
  checkMove(before.status, status)
  if (changed.includes('assigneeAgentId')) await checkAssignee(tx, edit.assigneeAgentId ?? null)
  if (changed.includes('parentTaskId')) await moveBelow(tx, by, before, edit.parentTaskId ?? null)

  const position =
    status === before.status
      ? before.position
      : positionBetween(await nearestPosition(tx, status, 'before', null), null)
  await updateTask(tx, id, { ...pick(edit, changed), position })

  const task = await theTask(tx, id)
  const card = asCard(task, changed.includes('description'))
  const edited = changed.filter((field) => field !== 'status' && field !== 'assigneeAgentId')
  if (edited.length > 0) await tellBoard(tx, 'task.edited', { task: card, changed: edited, by: by.id }, id)
  if (changed.includes('assigneeAgentId'))
    await tellBoard(
      tx,
      'task.assigned',
      { task: asCard(task), from: before.assigneeAgentId, to: task.assigneeAgentId, by: by.id },
      id,
    )
  if (status !== before.status)
    await tellBoard(tx, 'task.moved', { task: asCard(task), from: before.status, to: status, by: by.id }, id)
  return task
}

async function moveBelow(tx: Tx, by: Principal, task: Task, parentId: string | null): Promise<void> {
  const tree = await subtree(tx, task.id)
  if (parentId !== null && tree.some((member) => member.id === parentId))
    throw new Problem(
      'task_parent_cycle',
      'A task cannot be moved below itself or below one of its own subtasks',
    )
  const parent = parentId === null ? null : await theParent(tx, parentId)
  const depth = depthBelow(parent, Math.max(...tree.map((member) => member.below)))
  if (depth === task.depth) return
  await shiftDepths(
    tx,
    tree.map((member) => member.id),
    depth - task.depth,
  )
  for (const { id, below } of tree)
    if (below > 0)
      await tellBoard(
        tx,
        'task.edited',
        { task: asCard(await theTask(tx, id)), changed: ['depth'], by: by.id },
        id,
      )
}

function pick<Whole extends object, Field extends keyof Whole>(
  whole: Whole,
  fields: Field[],
): Pick<Whole, Field> {
  return Object.fromEntries(fields.map((field) => [field, whole[field]])) as Pick<Whole, Field>
}
