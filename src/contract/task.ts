import { z } from 'zod'
import { Paging } from './answer.ts'
import { Changes, ExecutionStatus } from './execution.ts'
import { Id, Time, line, prose } from './text.ts'

export const TaskStatus = z.enum(['todo', 'in_progress', 'blocked', 'done', 'cancelled'])
export type TaskStatus = z.infer<typeof TaskStatus>

export const TaskPriority = z.enum(['low', 'medium', 'high', 'critical'])
export type TaskPriority = z.infer<typeof TaskPriority>

export const Task = z.object({
  id: Id,
  title: z.string(),
  description: z.string(),
  status: TaskStatus,
  priority: TaskPriority,
  parentTaskId: Id.nullable(),
  assigneeAgentId: Id.nullable(),
  /** Where agents work on it, unless they are told otherwise. */
  workspaceId: Id.nullable(),
  /** Sorts as plain text within a status. */
  position: z.string(),
  depth: z.int(),
  dependsOnTaskIds: z.array(Id),
  createdBy: z.string(),
  createdAt: Time,
  updatedAt: Time,
})
export type Task = z.infer<typeof Task>

/** What agents did for a task, as far as a card shows it. */
export const TaskWork = z.object({
  turns: z.int(),
  /** The newest of them. */
  executionId: Id,
  sessionId: Id,
  agentId: Id.nullable(),
  agentName: z.string(),
  status: ExecutionStatus,
  /** As last measured. */
  changes: Changes.nullable(),
})
export type TaskWork = z.infer<typeof TaskWork>

/** As tasks are listed; null before any agent was asked. */
export const ListedTask = Task.extend({ work: TaskWork.nullable() })
export type ListedTask = z.infer<typeof ListedTask>

const written = {
  title: line(500),
  description: prose(100_000),
  status: TaskStatus,
  priority: TaskPriority,
  parentTaskId: Id.nullable(),
  assigneeAgentId: Id.nullable(),
  workspaceId: Id.nullable(),
}

export const CreateTask = z.strictObject({
  title: written.title,
  description: written.description.default(''),
  status: written.status.default('todo'),
  priority: written.priority.default('medium'),
  parentTaskId: written.parentTaskId.default(null),
  assigneeAgentId: written.assigneeAgentId.default(null),
  /** Left out, that of the task that it is a part of. */
  workspaceId: written.workspaceId.optional(),
})
export type CreateTask = z.infer<typeof CreateTask>

export const EditTask = z.strictObject(written).partial()
export type EditTask = z.infer<typeof EditTask>

/** Where a card goes: right before one card, right after another, or (with neither) to the end of the column. */
export const ReorderTask = z.strictObject({
  status: TaskStatus.optional(),
  beforeId: Id.nullish(),
  afterId: Id.nullish(),
})
export type ReorderTask = z.infer<typeof ReorderTask>

export const TaskDependency = z.strictObject({ dependsOnTaskId: Id })
export type TaskDependency = z.infer<typeof TaskDependency>

export const TaskQuery = Paging.extend({
  status: TaskStatus.optional(),
  assigneeAgentId: Id.optional(),
  /** `none` finds tasks that have no parent. */
  parentTaskId: z.union([Id, z.literal('none')], 'must be a UUID or "none"').optional(),
  q: prose(200).optional(),
})
export type TaskQuery = z.infer<typeof TaskQuery>

/** One line of a task's history: `created`, `edited`, `moved`, `reordered`, `assigned`, … */
export const TaskEvent = z.object({
  seq: z.int(),
  type: z.string(),
  payload: z.record(z.string(), z.unknown()),
  at: Time,
})
export type TaskEvent = z.infer<typeof TaskEvent>
