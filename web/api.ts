import type { SessionKey } from '../src/contract/access.ts'
import type { PromptFile } from '../src/contract/agent-event.ts'
import type { Agent } from '../src/contract/agent.ts'
import type { ErrorAnswer, Meta } from '../src/contract/answer.ts'
import type { AnswerApproval, Approval } from '../src/contract/approval.ts'
import type { Capability } from '../src/contract/capability.ts'
import type { Execution, ExecutionQuery, StartExecution } from '../src/contract/execution.ts'
import type { WorkerStatus } from '../src/contract/machine.ts'
import type { Preset } from '../src/contract/preset.ts'
import type { Session } from '../src/contract/session.ts'
import type { CreateTask, EditTask, ReorderTask, Task, TaskEvent, TaskQuery } from '../src/contract/task.ts'
import type {
  Committed,
  CreateWorkspace,
  MachineDrivers,
  Merged,
  Preview,
  Workspace,
  WorkspaceDiff,
  WorkspaceQuery,
} from '../src/contract/workspace.ts'
import { dropSession, session } from './session.ts'
import { strings } from './strings.ts'

export const base = '/api/v1'

/** What the server refused, in its own words; `unreachable` when no answer came at all. */
export class Refusal extends Error {
  readonly code: string
  readonly status: number
  readonly context: Record<string, unknown>

  constructor(code: string, message: string, status: number, context: Record<string, unknown> = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.status = status
    this.context = context
  }
}

interface Options {
  query?: object
  body?: unknown
  signal?: AbortSignal
  /** Lets a request outlive the page that sent it. */
  keepalive?: boolean
}
interface Answer<Data> {
  data: Data
  meta: Meta
}

export async function send<Data>(method: string, path: string, options: Options = {}): Promise<Answer<Data>> {
  const { query = {}, body, ...rest } = options
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : ''
  const answer = await reach(base + path + search, {
    method,
    headers: { ...authorization(), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...rest,
  })
  if (answer.status === 401) dropSession()
  if (!answer.ok) throw await refusalOf(answer)
  return (answer.status === 204 ? { data: null } : await answer.json()) as Answer<Data>
}

export function authorization(): Record<string, string> {
  const key = session.get()?.sessionKey
  return key ? { Authorization: `Bearer ${key}` } : {}
}

export async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new Refusal('unreachable', strings.unreachable, 0)
  }
}

export async function refusalOf(answer: Response): Promise<Refusal> {
  try {
    const { error } = (await answer.json()) as ErrorAnswer
    return new Refusal(error.code, error.message, answer.status, error.context)
  } catch {
    return new Refusal('unreadable', strings.unreadable(answer.status), answer.status)
  }
}

export async function tradeToken(token: string): Promise<SessionKey> {
  const answer = await reach(`${base}/auth/session`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: '{}',
  })
  if (!answer.ok) throw await refusalOf(answer)
  return ((await answer.json()) as Answer<SessionKey>).data
}

/** The whole log as a file. */
async function reachLog(id: string): Promise<Blob> {
  const answer = await reach(`${base}/executions/${id}/logs`, { headers: authorization() })
  if (!answer.ok) throw await refusalOf(answer)
  return answer.blob()
}

type Wanted = Partial<TaskQuery>
export const data = async <Data>(answer: Promise<Answer<Data>>) => (await answer).data

export const api = {
  logOut: () => send<null>('DELETE', '/auth/session'),
  executions: (query: Partial<ExecutionQuery>, signal?: AbortSignal) =>
    send<Execution[]>('GET', '/executions', { query, ...(signal && { signal }) }),
  execution: (id: string) => data(send<Execution>('GET', `/executions/${id}`)),
  start: (body: Partial<StartExecution> & { capabilityId: string }) =>
    data(send<Execution>('POST', '/executions', { body })),
  say: (id: string, text: string, files: readonly PromptFile[] = []) =>
    data(send<{ executionId: string }>('POST', `/executions/${id}/messages`, { body: { text, files } })),
  interrupt: (id: string) => data(send<Execution>('POST', `/executions/${id}/interrupt`)),
  cancel: (id: string) => data(send<Execution>('POST', `/executions/${id}/cancel`)),
  log: reachLog,
  session: (id: string, signal?: AbortSignal) =>
    data(send<Session>('GET', `/sessions/${id}`, signal && { signal })),
  workers: (signal?: AbortSignal) =>
    data(send<WorkerStatus[]>('GET', '/workers/status', signal && { signal })),
  waiting: (signal?: AbortSignal) =>
    send<Approval[]>('GET', '/approvals', {
      query: { status: 'waiting', pageSize: 100 },
      ...(signal && { signal }),
    }),
  answer: (id: string, body: Partial<AnswerApproval> & Pick<AnswerApproval, 'decision'>) =>
    data(send<Approval>('POST', `/approvals/${id}`, { body })),
  approval: (id: string, signal: AbortSignal) =>
    data(send<Approval>('GET', `/approvals/${encodeURIComponent(id)}`, { signal })),
  presets: (signal?: AbortSignal) => data(send<Preset[]>('GET', '/agents/presets', signal && { signal })),
  workspaces: (query: Partial<WorkspaceQuery>, signal?: AbortSignal) =>
    data(send<Workspace[]>('GET', '/workspaces', { query, ...(signal && { signal }) })),
  drivers: (signal?: AbortSignal) =>
    data(send<MachineDrivers[]>('GET', '/workspaces/drivers', signal && { signal })),
  makeWorkspace: (body: Partial<CreateWorkspace> & Pick<CreateWorkspace, 'driver'>) =>
    data(send<Workspace>('POST', '/workspaces', { body })),
  trashWorkspace: (id: string) => send<unknown>('DELETE', `/workspaces/${id}`),
  restoreWorkspace: (id: string) => data(send<Workspace>('POST', `/workspaces/${id}/restore`)),
  prepareWorkspace: (id: string) => data(send<Workspace>('POST', `/workspaces/${id}/prepare`)),
  preview: (id: string) => data(send<Preview>('POST', `/workspaces/${id}/preview`, { body: {} })),
  workspaceDiff: (id: string, signal?: AbortSignal) =>
    data(send<WorkspaceDiff>('GET', `/workspaces/${id}/diff`, signal && { signal })),
  commitWorkspace: (id: string, message: string) =>
    data(send<Committed>('POST', `/workspaces/${id}/commit`, { body: { message } })),
  mergeWorkspace: (id: string) => data(send<Merged>('POST', `/workspaces/${id}/merge`, { body: {} })),
  addAgent: (preset: Preset['key']) => data(send<Agent>('POST', '/agents', { body: { preset } })),
  capabilities: (agentId: string, signal?: AbortSignal) =>
    data(send<Capability[]>('GET', `/agents/${agentId}/capabilities`, signal && { signal })),
  agents: (signal?: AbortSignal) => data(send<Agent[]>('GET', '/agents', signal && { signal })),
  tasks: (query: Wanted, signal?: AbortSignal) =>
    send<Task[]>('GET', '/tasks', { query, ...(signal && { signal }) }),
  task: (id: string, signal?: AbortSignal) => data(send<Task>('GET', `/tasks/${id}`, signal && { signal })),
  history: (id: string, signal?: AbortSignal) =>
    send<TaskEvent[]>('GET', `/tasks/${id}/events`, { query: { pageSize: 200 }, ...(signal && { signal }) }),
  create: (task: Partial<CreateTask> & { title: string }) =>
    data(send<Task>('POST', '/tasks', { body: task })),
  edit: (id: string, body: EditTask, keepalive = false) =>
    data(send<Task>('PATCH', `/tasks/${id}`, { body, keepalive })),
  reorder: (id: string, body: ReorderTask) => data(send<Task>('POST', `/tasks/${id}/reorder`, { body })),
  remove: (id: string, withSubtasks: boolean) =>
    send<null>('DELETE', `/tasks/${id}`, { query: withSubtasks ? { subtasks: 'delete' } : {} }),
  addDependency: (id: string, dependsOnTaskId: string) =>
    data(send<Task>('POST', `/tasks/${id}/dependencies`, { body: { dependsOnTaskId } })),
  removeDependency: (id: string, dependsOnTaskId: string) =>
    data(send<Task>('DELETE', `/tasks/${id}/dependencies`, { body: { dependsOnTaskId } })),
}
