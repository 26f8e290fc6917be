import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Paging } from '#contract/answer.ts'
import {
  CreateTask,
  EditTask,
  ListedTask,
  ReorderTask,
  Task,
  TaskDependency,
  TaskEvent,
  TaskQuery,
} from '#contract/task.ts'
import { Id } from '#contract/text.ts'
import { readTaskEvents } from '#db/events.ts'
import { listTasks } from '#db/tasks.ts'
import { addDependency, removeDependency } from '#flows/change-dependency.ts'
import { createTask } from '#flows/create-task.ts'
import { deleteTask } from '#flows/delete-task.ts'
import { editTask } from '#flows/edit-task.ts'
import { theTask } from '#flows/find-task.ts'
import { reorderTask } from '#flows/reorder-task.ts'
import { answersCreated, answersMany, answersNothing, answersOne, body } from './answers.ts'
import { requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['tasks']

const list = createRoute({
  method: 'get',
  path: '/tasks',
  tags,
  summary: 'List, filter and search tasks, in board order',
  request: { query: TaskQuery },
  responses: answersMany(ListedTask, 'A page of tasks, with what agents did for them'),
})

const create = createRoute({
  method: 'post',
  path: '/tasks',
  tags,
  summary: 'Put a task on the board, at the end of its column',
  request: body(CreateTask),
  responses: answersCreated(Task, 'The new task'),
})

const read = createRoute({
  method: 'get',
  path: '/tasks/{id}',
  tags,
  summary: 'Read a task',
  request: { params },
  responses: answersOne(Task, 'The task'),
})

const edit = createRoute({
  method: 'patch',
  path: '/tasks/{id}',
  tags,
  summary: 'Change a task; a new status must be one that its present status allows',
  request: { params, ...body(EditTask) },
  responses: answersOne(Task, 'The task as it is now'),
})

const remove = createRoute({
  method: 'delete',
  path: '/tasks/{id}',
  tags,
  summary: 'Delete a task; one with subtasks only together with them',
  request: { params, query: z.strictObject({ subtasks: z.literal('delete').optional() }) },
  responses: answersNothing('It is gone'),
})

const reorder = createRoute({
  method: 'post',
  path: '/tasks/{id}/reorder',
  tags,
  summary: 'Put a task before or after another one, or at the end of a column',
  request: { params, ...body(ReorderTask) },
  responses: answersOne(Task, 'The task at its new place'),
})

const depend = createRoute({
  method: 'post',
  path: '/tasks/{id}/dependencies',
  tags,
  summary: 'Let a task wait for another one',
  request: { params, ...body(TaskDependency) },
  responses: answersCreated(Task, 'The task with its dependencies'),
})

const undepend = createRoute({
  method: 'delete',
  path: '/tasks/{id}/dependencies',
  tags,
  summary: 'Let a task no longer wait for another one',
  request: { params, ...body(TaskDependency) },
  responses: answersOne(Task, 'The task with its dependencies'),
})

const history = createRoute({
  method: 'get',
  path: '/tasks/{id}/events',
  tags,
  summary: 'What happened to a task, oldest first',
  request: { params, query: Paging },
  responses: answersMany(TaskEvent, 'A page of its history'),
})

export function tasksRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  room.use('/tasks', requireScope('board'))
  room.use('/tasks/*', requireScope('board'))

  room.openapi(list, async (c) => {
    const query = c.req.valid('query')
    const { data, total } = await listTasks(pool.db, query)
    return c.json({ data, meta: { total, page: query.page, pageSize: query.pageSize } }, 200)
  })

  room.openapi(create, async (c) => {
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => createTask(tx, c.get('principal'), wanted))
    return c.json({ data }, 201)
  })

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    return c.json({ data: await theTask(pool.db, id) }, 200)
  })

  room.openapi(edit, async (c) => {
    const { id } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => editTask(tx, c.get('principal'), id, wanted))
    return c.json({ data }, 200)
  })

  room.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    const { subtasks } = c.req.valid('query')
    await pool.transaction((tx) => deleteTask(tx, c.get('principal'), id, subtasks === 'delete'))
    return c.body(null, 204)
  })

  room.openapi(reorder, async (c) => {
    const { id } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => reorderTask(tx, c.get('principal'), id, wanted))
    return c.json({ data }, 200)
  })

  room.openapi(depend, async (c) => {
    const { id } = c.req.valid('param')
    const { dependsOnTaskId } = c.req.valid('json')
    const data = await pool.transaction((tx) => addDependency(tx, c.get('principal'), id, dependsOnTaskId))
    return c.json({ data }, 201)
  })

  room.openapi(undepend, async (c) => {
    const { id } = c.req.valid('param')
    const { dependsOnTaskId } = c.req.valid('json')
    const data = await pool.transaction((tx) => removeDependency(tx, c.get('principal'), id, dependsOnTaskId))
    return c.json({ data }, 200)
  })

  room.openapi(history, async (c) => {
    const { id } = c.req.valid('param')
    const { page, pageSize } = c.req.valid('query')
    await theTask(pool.db, id)
    const { data, total } = await readTaskEvents(pool.db, id, page, pageSize)
    return c.json({ data, meta: { total, page, pageSize } }, 200)
  })

  return room
}
