import { Agent } from '#contract/agent.ts'
import { Task, TaskStatus } from '#contract/task.ts'
import type { TaskPriority } from '#contract/task.ts'
import { age } from './age.ts'
import { readAll } from './client.ts'
import type { Connection } from './connection.ts'
import type { Colour, Screen } from './screen.ts'
import { oneOf, show } from './show-list.ts'
import type { ListOptions } from './show-list.ts'
import type { Column } from './table.ts'

// A UUIDv7 begins with its time, so its end is what tells two of the same minute apart.
const shortId = ({ id }: { id: string }) => id.slice(-8)

const statusColour: Record<TaskStatus, Colour> = {
  todo: 'plain',
  in_progress: 'green',
  blocked: 'yellow',
  done: 'dim',
  cancelled: 'dim',
}
const priorityColour: Record<TaskPriority, Colour> = {
  low: 'dim',
  medium: 'plain',
  high: 'yellow',
  critical: 'red',
}

const taskColumns = (now: number): Column<Task>[] => [
  {
    title: 'STATUS',
    text: ({ status }) => status.replace('_', ' '),
    colour: ({ status }) => statusColour[status],
  },
  {
    title: 'PRIORITY',
    text: ({ priority }) => priority,
    colour: ({ priority }) => priorityColour[priority],
    spare: 2,
  },
  { title: 'TITLE', text: ({ title }) => title, flexible: true },
  { title: 'ID', text: shortId, colour: () => 'dim', spare: 1 },
  { title: 'AGE', text: ({ createdAt }) => age(createdAt, now), colour: () => 'dim', spare: 3 },
]

const agentColumns = (now: number): Column<Agent>[] => [
  { title: 'NAME', text: ({ name }) => name, flexible: true },
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'SPOKEN TO BY', text: ({ adapter }) => adapter, spare: 3 },
  { title: 'MODEL', text: ({ model }) => model ?? '', colour: () => 'dim', spare: 4 },
  {
    title: 'STATE',
    text: ({ active }) => (active ? 'active' : 'off'),
    colour: ({ active }) => (active ? 'green' : 'dim'),
  },
  { title: 'ID', text: shortId, colour: () => 'dim', spare: 1 },
  { title: 'AGE', text: ({ createdAt }) => age(createdAt, now), colour: () => 'dim', spare: 2 },
]

export async function listTasks(
  connect: () => Connection,
  screen: Screen,
  options: ListOptions,
): Promise<void> {
  const { q } = options
  const status = oneOf(TaskStatus.options, options.status)
  const tasks = await readAll(connect(), '/tasks', { ...(status && { status }), ...(q && { q }) }, Task)
  const empty = status || q ? 'No task fits.' : 'No tasks yet.'
  show(screen, options, tasks, taskColumns(Date.now()), empty)
}

export async function listAgents(
  connect: () => Connection,
  screen: Screen,
  options: ListOptions,
): Promise<void> {
  const agents = await readAll(connect(), '/agents', {}, Agent)
  const none = 'No agents yet. `signalbox doctor` says which coding agents this machine has.'
  show(screen, options, agents, agentColumns(Date.now()), none)
}
