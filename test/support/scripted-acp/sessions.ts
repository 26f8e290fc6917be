import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { Setup } from './setup.ts'
import { runStep } from './steps.ts'
import type { Message, ScriptedWire } from './wire.ts'

export interface Turn {
  sessionId: string
  wire: ScriptedWire
  /** Tells an update, which is then also part of the history. */
  update(update: object): void
  isCancelled(): boolean
  /** Resolves at once when it is cancelled already. */
  cancelled: Promise<void>
  /** From now on a cancel is not heard. */
  goDeaf(): void
  /** How the prompt is answered; else `end_turn`. */
  end: { stopReason?: string; usage?: object; error?: object; meta?: object }
}

interface Session {
  history: object[]
  cancel?: () => void
  isDeaf?: boolean
}

/** The sessions of a scripted agent, and what it answers. */
export class ScriptedSessions {
  readonly #setup: Setup
  readonly #wire: ScriptedWire
  readonly #sessions = new Map<string, Session>()

  constructor(setup: Setup, wire: ScriptedWire) {
    this.#setup = setup
    this.#wire = wire
  }

  async handle({ id, method = '', params = {} }: Message): Promise<void> {
    const sessionId = typeof params['sessionId'] === 'string' ? params['sessionId'] : ''
    if (method === 'session/cancel') return this.#sessions.get(sessionId)?.cancel?.()
    if (id === undefined || this.#setup.isMute) return
    const answer = await this.#answer(method, sessionId, params)
    this.#wire.send({ id, ...answer })
    if (method === 'session/load' && this.#setup.replaysLate) this.#replay(sessionId)
  }

  async #answer(method: string, sessionId: string, params: Record<string, unknown>): Promise<Message> {
    const { can, needsLogin, name } = this.#setup
    if (method === 'initialize') return { result: greeting(name, can) }
    if (needsLogin) return { error: { code: -32000, message: 'Authentication required' } }
    // What it starts inherits what it was given.
    if (params['mcpServers']) process.env['SCRIPTED_SERVERS'] = JSON.stringify(params['mcpServers'])
    switch (method) {
      case 'session/new':
        return { result: { sessionId: this.#begin([]), ...this.#offers() } }
      case 'session/resume':
      case 'session/load':
      case 'session/fork': {
        const history = this.#find(sessionId)
        if (!can.includes(method.slice(8))) return notFound(method)
        if (!history) return { error: { code: -32002, message: `No session ${sessionId}` } }
        if (method === 'session/fork')
          return { result: { sessionId: this.#begin([...history]), ...this.#offers() } }
        this.#sessions.set(sessionId, { history })
        if (method === 'session/load' && !this.#setup.replaysLate) this.#replay(sessionId)
        return { result: this.#offers() }
      }
      case 'session/prompt':
        return this.#prompt(sessionId, params['prompt'] as { text?: string }[])
      case 'session/set_mode':
      case 'session/set_model':
      case 'session/set_config_option': {
        const value = String(params['modeId'] ?? params['modelId'] ?? params['value'])
        if (value === 'impossible')
          return { error: { code: -32602, message: 'Invalid params: not possible' } }
        return { result: {} }
      }
    }
    return notFound(method)
  }

  async #prompt(sessionId: string, prompt: { text?: string }[]): Promise<Message> {
    const session = this.#sessions.get(sessionId)
    if (!session) return { error: { code: -32602, message: `Session not found: ${sessionId}` } }
    // As Gemini does: a second prompt is the end of the first.
    session.cancel?.()
    const { promise: cancelled, resolve } = Promise.withResolvers<void>()
    let isCancelled = false
    const turn: Turn = {
      sessionId,
      wire: this.#wire,
      update: (update) => {
        session.history.push(update)
        this.#wire.update(sessionId, update)
      },
      isCancelled: () => isCancelled,
      cancelled,
      goDeaf: () => (session.isDeaf = true),
      end: {},
    }
    session.cancel = () => {
      if (session.isDeaf) return
      isCancelled = true
      resolve()
    }
    const asked = prompt[0]?.text ?? ''
    for (const step of (this.#setup.plays[asked] ?? asked).split('\n')) {
      if (isCancelled) break
      await runStep(step, turn)
    }
    this.#keep(sessionId, session.history)
    delete session.cancel
    const { error, stopReason = isCancelled ? 'cancelled' : 'end_turn', usage, meta } = turn.end
    return error
      ? { error }
      : { result: { stopReason, ...(usage && { usage }), ...(meta && { _meta: meta }) } }
  }

  #offers(): object {
    if (this.#setup.hasOptions)
      return {
        configOptions: [
          select('mode', 'ask', ['ask', 'edit', 'impossible']),
          select('model', 'small', ['small', 'large']),
        ],
      }
    return {
      modes: {
        currentModeId: 'ask',
        availableModes: ['ask', 'edit', 'impossible'].map((id) => ({ id, name: `The mode ${id}` })),
      },
      models: {
        currentModelId: 'small',
        availableModels: ['small', 'large'].map((modelId) => ({ modelId, name: `The ${modelId} one` })),
      },
    }
  }

  #begin(history: object[]): string {
    const id = randomUUID()
    this.#sessions.set(id, { history })
    this.#keep(id, history)
    return id
  }

  #replay(sessionId: string): void {
    for (const update of this.#sessions.get(sessionId)?.history ?? []) this.#wire.update(sessionId, update)
  }

  #keep(sessionId: string, history: object[]): void {
    const { store } = this.#setup
    if (!store) return
    mkdirSync(store, { recursive: true })
    writeFileSync(join(store, `${sessionId}.json`), JSON.stringify(history))
  }

  #find(sessionId: string): object[] | undefined {
    const known = this.#sessions.get(sessionId)?.history
    const file = this.#setup.store && join(this.#setup.store, `${sessionId}.json`)
    return known ?? (file && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined)
  }
}

const greeting = (name: string, can: string[]) => ({
  protocolVersion: 1,
  agentInfo: { name, version: '1.2.3' },
  authMethods: [{ id: 'login', name: 'Log in', description: 'Run `scripted login`' }],
  agentCapabilities: {
    loadSession: can.includes('load'),
    promptCapabilities: { image: can.includes('image'), embeddedContext: can.includes('embedded') },
    mcpCapabilities: { http: can.includes('http') },
    sessionCapabilities: {
      ...(can.includes('resume') && { resume: {} }),
      ...(can.includes('fork') && { fork: {} }),
    },
  },
})

const select = (id: string, currentValue: string, values: string[]) => ({
  id,
  name: id,
  category: id,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: `The ${value} one` })),
})

const notFound = (method: string): Message => ({
  error: { code: -32601, message: `Method not found: ${method}` },
})
