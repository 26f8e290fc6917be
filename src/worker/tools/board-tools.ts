import { z } from 'zod'
import { CreateTask, EditTask, TaskStatus } from '#contract/task.ts'
import type { Task } from '#contract/task.ts'
import { Id, prose } from '#contract/text.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { DatabasePool } from '#db/pool.ts'
import { listTasks } from '#db/tasks.ts'
import { createTask } from '#flows/create-task.ts'
import { editTask } from '#flows/edit-task.ts'
import { theTask } from '#flows/find-task.ts'
import type { SpawnRules } from '#flows/spawn-agent.ts'
import type { NativeTools } from '#tools/port.ts'
import { agentCalled, theTaskMeant } from './meant.ts'
import { isForScope, nativeTool, principalOf } from './native-tool.ts'
import { spawnTool } from './spawn-tool.ts'

export interface BoardNeeds {
  pool: DatabasePool
  handOver: Pick<HandOver, 'send'>
  rules: () => SpawnRules
}

const { title, description, priority } = CreateTask.shape
const assignee = z.string().max(200).describe('The name or the id of an agent')
const taskId = Id.optional().describe('Without it: the task that you work on')
const written = {
  title: title.describe('One line'),
  description: description.describe('Markdown'),
  priority,
  assignee: assignee.optional(),
}

const ours = { isFor: isForScope('board'), needsNoApproval: true }
const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
const changes = { readOnlyHint: false, destructiveHint: false, idempotentHint: true }

const mostOnPage = 100

/** The board, for agents and for people with an MCP client. */
export function boardTools(needs: BoardNeeds): NativeTools {
  const { pool } = needs
  const { db } = pool
  const idOf = async (name: string | undefined) =>
    name === undefined ? null : (await agentCalled(db, name)).id

  const create = nativeTool(
    {
      ...ours,
      name: 'create_task',
      title: 'Create a task',
      description: 'Puts a task on the board, at the end of its column.',
      input: z.strictObject({
        ...written,
        status: CreateTask.shape.status,
        parentTaskId: Id.optional().describe('The task that it is a part of'),
      }),
      annotations: adds,
    },
    async (caller, { assignee: name, parentTaskId = null, ...wanted }) => {
      const task = { ...wanted, parentTaskId, assigneeAgentId: await idOf(name) }
      return told('Created', await pool.transaction((tx) => createTask(tx, principalOf(caller), task)))
    },
  )

  const createSub = nativeTool(
    {
      ...ours,
      name: 'create_subtask',
      title: 'Create a subtask',
      description: 'Breaks a part off a task. Tasks can be nested 3 levels deep.',
      input: z.strictObject({ ...written, parentTaskId: taskId }),
      annotations: adds,
    },
    async (caller, { assignee: name, parentTaskId, ...wanted }) => {
      const parent = await theTaskMeant(db, caller, parentTaskId, 'parentTaskId')
      const task = {
        ...wanted,
        status: 'todo' as const,
        parentTaskId: parent,
        assigneeAgentId: await idOf(name),
      }
      return told('Created', await pool.transaction((tx) => createTask(tx, principalOf(caller), task)))
    },
  )

  const update = nativeTool(
    {
      ...ours,
      name: 'update_task',
      title: 'Update a task',
      description:
        'Changes a task. Status moves: todo → in_progress, blocked, cancelled; in_progress → done, blocked, cancelled, todo; blocked → todo, in_progress, cancelled; done and cancelled → todo.',
      input: z.strictObject({
        taskId,
        ...EditTask.omit({ assigneeAgentId: true }).shape,
        assignee: assignee.nullable().optional().describe('The name or the id of an agent; null: nobody'),
      }),
      annotations: changes,
    },
    async (caller, { taskId: named, assignee: name, ...edit }) => {
      const id = await theTaskMeant(db, caller, named)
      const wanted = {
        ...edit,
        ...(name !== undefined && { assigneeAgentId: await idOf(name ?? undefined) }),
      }
      return told('Changed', await pool.transaction((tx) => editTask(tx, principalOf(caller), id, wanted)))
    },
  )

  const assign = nativeTool(
    {
      ...ours,
      name: 'assign_task',
      title: 'Assign a task',
      description: 'Says whose a task is. The agent is not started by it: spawn_agent does that.',
      input: z.strictObject({
        taskId,
        agent: assignee.nullable().describe('Its name or its id; null: nobody'),
      }),
      annotations: changes,
    },
    async (caller, { taskId: named, agent }) => {
      const id = await theTaskMeant(db, caller, named)
      const wanted = { assigneeAgentId: await idOf(agent ?? undefined) }
      const task = await pool.transaction((tx) => editTask(tx, principalOf(caller), id, wanted))
      return told(agent === null ? 'Nobody has' : `${agent} has`, task)
    },
  )

  const list = nativeTool(
    {
      ...ours,
      name: 'list_tasks',
      title: 'List tasks',
      description: 'Lists tasks in board order, a page at a time; with taskId one task with its description.',
      input: z.strictObject({
        taskId: Id.optional().describe('Only this one, whole'),
        status: TaskStatus.optional(),
        assignee: assignee.optional(),
        parentTaskId: z
          .union([Id, z.literal('none')])
          .optional()
          .describe('"none": those without a parent'),
        q: prose(200).optional().describe('Words in title or description'),
        page: z.int().min(1).max(1_000_000).default(1),
        pageSize: z.int().min(1).max(mostOnPage).default(20),
      }),
      annotations: { readOnlyHint: true, idempotentHint: true },
    },
    async (_, { taskId: named, assignee: name, page, pageSize, status, parentTaskId, q }) => {
      if (named !== undefined) {
        const task = await theTask(db, named)
        return { text: `${lineOf(task)}\n\n${task.description}`, data: { tasks: [task], total: 1, page: 1 } }
      }
      const assigneeAgentId = await idOf(name)
      const { data, total } = await listTasks(db, {
        page,
        pageSize,
        ...(status && { status }),
        ...(parentTaskId && { parentTaskId }),
        ...(q && { q }),
        ...(assigneeAgentId && { assigneeAgentId }),
      })
      const tasks = data.map(({ description: _cut, position: _place, ...task }) => task)
      const pages = Math.max(1, Math.ceil(total / pageSize))
      const more = `[${total} in all; page ${page} of ${pages}]`
      return { text: [...data.map(lineOf), more].join('\n'), data: { tasks, total, page, pageSize } }
    },
  )

  return {
    name: 'board',
    description: 'The board: tasks, and the agents that work on them',
    tools: [create, update, list, createSub, assign, spawnTool(needs)],
  }
}

const lineOf = ({ id, title: words, status, priority: weight }: Task) => `${id} ${status} ${weight}: ${words}`
const told = (verb: string, task: Task) => ({ text: `${verb} ${lineOf(task)}`, data: { task } })
