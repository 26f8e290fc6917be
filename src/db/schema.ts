import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  integer,
  json,
  pgEnum,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import type { AgentKind } from '#contract/agent.ts'
import type { Principal, Scope } from '#contract/access.ts'
import { TaskStatus } from '#contract/task.ts'
import type { TaskPriority } from '#contract/task.ts'

// What the queries know of the tables. The truth is migrations/; a test compares both.

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })

export const streams = pgTable('streams', {
  id: uuid('id').primaryKey(),
  lastSeq: bigint('last_seq', { mode: 'number' }).notNull().default(0),
})

export const events = pgTable(
  'events',
  {
    streamId: uuid('stream_id').notNull(),
    seq: bigint('seq', { mode: 'number' }).notNull(),
    executionId: uuid('execution_id'),
    taskId: uuid('task_id'),
    type: text('type').notNull(),
    payload: json('payload').notNull(),
    at: at('at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.streamId, table.seq] })],
)

export const agents = pgTable('agents', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  kind: text('kind').$type<AgentKind>().notNull(),
  active: boolean('active').notNull().default(true),
  createdAt: at('created_at').notNull().defaultNow(),
})

export const taskStatus = pgEnum('task_status', TaskStatus.enum)

export const tasks = pgTable('tasks', {
  id: uuid('id').primaryKey(),
  title: text('title').notNull(),
  description: text('description').notNull(),
  searchable: text('searchable')
    .notNull()
    .generatedAlwaysAs(sql`lower(title || E'\\n' || description)`),
  status: taskStatus('status').notNull(),
  priority: text('priority').$type<TaskPriority>().notNull(),
  parentTaskId: uuid('parent_task_id'),
  assigneeAgentId: uuid('assignee_agent_id'),
  workspaceId: uuid('workspace_id'),
  position: text('position').notNull(),
  depth: integer('depth').notNull(),
  createdBy: text('created_by').notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
  updatedAt: at('updated_at').notNull().defaultNow(),
})

export const taskDependencies = pgTable(
  'task_dependencies',
  {
    taskId: uuid('task_id').notNull(),
    dependsOnTaskId: uuid('depends_on_task_id').notNull(),
    createdAt: at('created_at').notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.taskId, table.dependsOnTaskId] })],
)

export const users = pgTable('users', {
  id: uuid('id').primaryKey(),
  name: text('name').notNull(),
  scopes: text('scopes').array().$type<Scope[]>().notNull(),
  createdAt: at('created_at').notNull().defaultNow(),
})

export const tokens = pgTable('tokens', {
  id: uuid('id').primaryKey(),
  hash: bytea('hash').notNull(),
  kind: text('kind').$type<'owner' | 'user' | 'session'>().notNull(),
  userId: uuid('user_id'),
  homeId: text('home_id'),
  parentId: uuid('parent_id'),
  createdAt: at('created_at').notNull().defaultNow(),
  expiresAt: at('expires_at'),
})

export const tickets = pgTable('tickets', {
  hash: bytea('hash').primaryKey(),
  principal: json('principal').$type<Principal>().notNull(),
  expiresAt: at('expires_at').notNull(),
})

export const settings = pgTable('settings', {
  key: text('key').primaryKey(),
  value: json('value').notNull(),
  updatedBy: text('updated_by').notNull(),
  updatedAt: at('updated_at').notNull().defaultNow(),
})
