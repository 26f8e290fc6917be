import { randomUUID } from 'node:crypto'
import { demoTurn } from './turn.ts'

// As much of ACP as an agent needs that has one job: sessions, prompts, one question, cancel.

export interface Message {
  id?: number | string
  method?: string
  params?: Record<string, unknown>
  result?: unknown
  error?: { code: number; message: string }
}

interface Session {
  cwd: string
  /** Whether it was prompted before. */
  isBegun: boolean
  isCancelled: boolean
}

interface Line {
  send(message: Message): void
  pauseMs: number
  version: string
}

export class DemoSessions {
  readonly #line: Line
  readonly #sessions = new Map<string, Session>()
  readonly #waiting = new Map<number | string, (answer: Message) => void>()
  #lastId = 0

  constructor(line: Line) {
    this.#line = line
  }

  async take(message: Message): Promise<void> {
    const { id, method, params = {} } = message
    if (method === undefined) return this.#waiting.get(id ?? '')?.(message)
    if (method === 'session/cancel') return this.#cancel(sessionIn(params))
    if (id === undefined) return
    this.#line.send({ id, ...(await this.#answer(method, params)) })
  }

  async #answer(method: string, params: Record<string, unknown>): Promise<Message> {
    if (method === 'initialize') return { result: greeting(this.#line.version) }
    if (method === 'session/new') {
      const sessionId = randomUUID()
      this.#sessions.set(sessionId, sessionAt(params, false))
      return { result: { sessionId } }
    }
    // It remembers nothing that it would need: that there was a first turn is all.
    if (method === 'session/resume') {
      this.#sessions.set(sessionIn(params), sessionAt(params, true))
      return { result: {} }
    }
    if (method === 'session/prompt') return this.#prompt(sessionIn(params), textOf(params))
    return { error: { code: -32601, message: `Method not found: ${method}` } }
  }

  async #prompt(sessionId: string, text: string): Promise<Message> {
    const session = this.#sessions.get(sessionId)
    if (!session) return { error: { code: -32602, message: `No session ${sessionId}` } }
    const isFirst = !session.isBegun
    Object.assign(session, { isBegun: true, isCancelled: false })
    await demoTurn(
      { cwd: session.cwd, text, isFirst },
      {
        update: (update) => this.#line.send({ method: 'session/update', params: { sessionId, update } }),
        ask: (toolCall) => this.#ask(sessionId, toolCall),
        isCancelled: () => session.isCancelled,
        pause: () => new Promise((resolve) => setTimeout(resolve, this.#line.pauseMs)),
      },
    )
    return { result: { stopReason: session.isCancelled ? 'cancelled' : 'end_turn' } }
  }

  #ask(sessionId: string, toolCall: object): Promise<boolean> {
    const id = ++this.#lastId
    this.#line.send({
      id,
      method: 'session/request_permission',
      params: { sessionId, toolCall, options },
    })
    return new Promise((resolve) =>
      this.#waiting.set(id, ({ result }) => {
        this.#waiting.delete(id)
        resolve(isGranted(result))
      }),
    )
  }

  #cancel(sessionId: string): void {
    const session = this.#sessions.get(sessionId)
    if (session) session.isCancelled = true
  }
}

const options = [
  { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
  { optionId: 'no', name: 'No', kind: 'reject_once' },
]

const greeting = (version: string) => ({
  protocolVersion: 1,
  agentInfo: { name: 'signalbox-demo', title: 'Demo agent', version },
  agentCapabilities: { loadSession: false, sessionCapabilities: { resume: {} } },
  authMethods: [],
})

const sessionIn = (params: Record<string, unknown>): string => String(params['sessionId'])
const sessionAt = ({ cwd }: Record<string, unknown>, isBegun: boolean): Session => ({
  cwd: typeof cwd === 'string' ? cwd : process.cwd(),
  isBegun,
  isCancelled: false,
})

function textOf({ prompt }: Record<string, unknown>): string {
  const parts: { text?: unknown }[] = Array.isArray(prompt) ? prompt : []
  return parts.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n')
}

const isGranted = (result: unknown): boolean =>
  (result as { outcome?: { optionId?: string } } | undefined)?.outcome?.optionId === 'yes'
