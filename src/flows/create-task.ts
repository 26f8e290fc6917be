import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { CreateTask, Task } from '#contract/task.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { insertTask, nearestPosition } from '#db/tasks.ts'
import { positionBetween } from '#domain/position.ts'
import { depthBelow } from '#domain/task.ts'
import { newId } from '#lib/id.ts'
import { checkAssignee, checkWorkspace, theNamed, theTask } from './find-task.ts'

export async function createTask(tx: Tx, by: Principal, wanted: CreateTask): Promise<Task> {
  await lockStream(tx, BOARD_STREAM)
  const parent = wanted.parentTaskId === null ? null : await theNamed(tx, 'parentTaskId', wanted.parentTaskId)
  await checkAssignee(tx, wanted.assigneeAgentId)
  const workspaceId = wanted.workspaceId === undefined ? (parent?.workspaceId ?? null) : wanted.workspaceId
  if (wanted.workspaceId) await checkWorkspace(tx, by, wanted.workspaceId)
  const last = await nearestPosition(tx, wanted.status, 'before', null)
  const id = newId()
  await insertTask(tx, {
    ...wanted,
    workspaceId,
    id,
    depth: depthBelow(parent),
    position: positionBetween(last, null),
    createdBy: by.id,
  })
  const task = await theTask(tx, id)
  await tellBoard(tx, boardEvent('task.created', { task, by: by.id }, id))
  return task
}
