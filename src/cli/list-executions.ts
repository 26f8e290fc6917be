import { Execution, ExecutionStatus } from '#contract/execution.ts'
import { Session } from '#contract/session.ts'
import { age, took } from './age.ts'
import { readAll } from './client.ts'
import type { Connection } from './connection.ts'
import { inWords } from './ending.ts'
import { agentCalled } from './find-capability.ts'
import { shortId } from './find-execution.ts'
import type { Colour, Screen } from './screen.ts'
import { oneOf, show } from './show-list.ts'
import type { ListOptions } from './show-list.ts'
import type { Column } from './table.ts'

const executionColour: Record<ExecutionStatus, Colour> = {
  queued: 'blue',
  running: 'green',
  cancelling: 'green',
  succeeded: 'dim',
  failed: 'red',
  cancelled: 'dim',
  timed_out: 'red',
}

const executionColumns = (now: number): Column<Execution>[] => [
  {
    title: 'STATUS',
    text: ({ status, unreachableSince }) => (unreachableSince ? `${inWords[status]}?` : inWords[status]),
    colour: ({ status }) => executionColour[status],
  },
  { title: 'AGENT', text: ({ agentName }) => agentName },
  { title: 'CAPABILITY', text: ({ capabilityKey }) => capabilityKey, spare: 1 },
  { title: 'ID', text: ({ id }) => shortId(id), colour: () => 'dim' },
  { title: 'WHAT HAPPENED', text: ({ error }) => error ?? '', flexible: true, spare: 2 },
  { title: 'TOOK', text: (execution) => took(execution, now), spare: 3 },
  { title: 'AGE', text: ({ createdAt }) => age(createdAt, now), colour: () => 'dim', spare: 4 },
]

const sessionColumns = (now: number): Column<Session>[] => [
  {
    title: 'STATUS',
    text: ({ status }) => (status ? inWords[status] : 'idle'),
    colour: ({ status }) => (status ? executionColour[status] : 'plain'),
  },
  { title: 'TITLE', text: ({ title }) => title, flexible: true },
  { title: 'TURNS', text: ({ executions }) => String(executions), spare: 2 },
  { title: 'ID', text: ({ id }) => id, colour: () => 'dim', spare: 1 },
  { title: 'AGE', text: ({ createdAt }) => age(createdAt, now), colour: () => 'dim', spare: 3 },
]

export async function listExecutions(
  connect: () => Connection,
  screen: Screen,
  options: ListOptions,
): Promise<void> {
  const { task } = options
  const status = oneOf(ExecutionStatus.options, options.status)
  const connection = connect()
  const agentId = options.agent && (await agentCalled(connection, options.agent)).id
  const query = { ...(status && { status }), ...(task && { taskId: task }), ...(agentId && { agentId }) }
  const executions = await readAll(connection, '/executions', query, Execution)
  const empty = Object.keys(query).length > 0 ? 'No execution fits.' : 'No executions yet.'
  show(screen, options, executions, executionColumns(Date.now()), empty)
}

export async function listSessions(
  connect: () => Connection,
  screen: Screen,
  options: ListOptions,
): Promise<void> {
  const { task } = options
  const connection = connect()
  const agentId = options.agent && (await agentCalled(connection, options.agent)).id
  const query = { ...(task && { taskId: task }), ...(agentId && { agentId }) }
  const sessions = await readAll(connection, '/sessions', query, Session)
  const empty = Object.keys(query).length > 0 ? 'No session fits.' : 'No sessions yet.'
  show(screen, options, sessions, sessionColumns(Date.now()), empty)
}
