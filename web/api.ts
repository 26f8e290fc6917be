import type { SessionKey } from '../src/contract/access.ts'
import type { Agent } from '../src/contract/agent.ts'
import type { ErrorAnswer, Meta } from '../src/contract/answer.ts'
import type { Approval } from '../src/contract/approval.ts'
import type { Execution, ExecutionQuery } from '../src/contract/execution.ts'
import type { CreateTask, ReorderTask, Task, TaskQuery } from '../src/contract/task.ts'
import { dropSession, session } from './session.ts'
import { strings } from './strings/page.ts'

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

type Wanted = Partial<TaskQuery>
export const data = async <Data>(answer: Promise<Answer<Data>>) => (await answer).data

export const api = {
  executions: (query: Partial<ExecutionQuery>, signal?: AbortSignal) =>
    send<Execution[]>('GET', '/executions', { query, ...(signal && { signal }) }),
  execution: (id: string) => data(send<Execution>('GET', `/executions/${id}`)),
  waiting: (signal?: AbortSignal) =>
    send<Approval[]>('GET', '/approvals', {
      query: { status: 'waiting', pageSize: 100 },
      ...(signal && { signal }),
    }),
  agents: (signal?: AbortSignal) => data(send<Agent[]>('GET', '/agents', signal && { signal })),
  tasks: (query: Wanted, signal?: AbortSignal) =>
    send<Task[]>('GET', '/tasks', { query, ...(signal && { signal }) }),
  create: (task: Partial<CreateTask> & { title: string }) =>
    data(send<Task>('POST', '/tasks', { body: task })),
  reorder: (id: string, body: ReorderTask) => data(send<Task>('POST', `/tasks/${id}/reorder`, { body })),
}
