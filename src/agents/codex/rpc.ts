import type { EnclosedAgent, Hands } from '../port.ts'
import { readLines } from '#lib/lines.ts'
import { withoutSecrets } from '../secret-frames.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, isFields, numberOf, textOf } from './fields.ts'

// JSON-RPC, one message a line, without "jsonrpc". Both sides count their requests, so the same id means two things: what
// carries a method was begun by Codex, what does not answers us.

export type RequestId = string | number

/** Codex answered with an error. */
export class RpcError extends Error {
  readonly code: number

  constructor(error: Fields) {
    super(textOf(error['message']) ?? 'Codex gave no reason')
    this.code = numberOf(error['code']) ?? 0
  }
}

/** No answer came, and none will be waited for. */
export class NoAnswer extends Error {}

export const methodNotFound = -32_601
const usualPatienceMs = 60_000
/** How long the output of a dead Codex may stay silent before whoever else holds it open is left alone. */
const silenceMs = 1_000

interface Listener {
  /** The next message is read when it has resolved. */
  onNotification: (method: string, params: Fields, at: number) => Promise<void> | void
  onRequest: (id: RequestId, method: string, params: Fields) => Promise<void> | void
  onMalformed: (why: string) => void
}

interface Waiting {
  resolve: (result: Fields) => void
  reject: (error: Error) => void
  patience: NodeJS.Timeout
}

export class Rpc {
  /** Resolves when all that it said was heard. Never rejects. */
  readonly ended: Promise<void>
  readonly #program: EnclosedAgent
  readonly #frame: Hands['frame']
  readonly #listener: Listener
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  isOver = false
  #heard = 0
  #isBusy = false

  constructor(program: EnclosedAgent, frame: Hands['frame'], listener: Listener) {
    this.#program = program
    this.#frame = withoutSecrets(frame)
    this.#listener = listener
    this.ended = this.#listen()
    void program.exited.then(() => this.#hangUp())
  }

  /** Rejects with RpcError, or with NoAnswer when it is gone or silent for too long. */
  request(method: string, params: Fields, patienceMs = usualPatienceMs): Promise<Fields> {
    if (this.isOver) return Promise.reject(new NoAnswer('Codex is gone'))
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<Fields>()
    const patience = setTimeout(() => {
      this.#waiting.delete(id)
      reject(new NoAnswer(`Codex did not answer ${method} within ${patienceMs / 1000} s`))
    }, patienceMs)
    this.#waiting.set(id, { resolve, reject, patience })
    this.#write({ id, method, params })
    return promise
  }

  notify(method: string): void {
    this.#write({ method })
  }

  answer(id: RequestId, result: Fields): void {
    this.#write({ id, result })
  }

  refuse(id: RequestId, code: number, message: string): void {
    this.#write({ id, error: { code, message } })
  }

  #write(message: Fields): void {
    const line = JSON.stringify(message)
    this.#frame('in', line)
    this.#program.stdin?.write(`${line}\n`)
  }

  async #listen(): Promise<void> {
    await readLines(this.#program.stdout, {
      take: async (line) => {
        this.#heard += 1
        this.#isBusy = true
        this.#frame('out', line)
        await this.#take(line)
        this.#isBusy = false
      },
      tooLong: (bytes) => this.#listener.onMalformed(`a message of ${bytes} bytes`),
    })
    this.isOver = true
    for (const [id, { reject, patience }] of this.#waiting) {
      clearTimeout(patience)
      this.#waiting.delete(id)
      reject(new NoAnswer('Codex ended before it answered'))
    }
  }

  #take(line: string): Promise<void> | void {
    const message = parse(line)
    if (!message) return this.#listener.onMalformed('a line that is no message')
    const { id, method, params } = message
    const isId = typeof id === 'number' || typeof id === 'string'
    if (typeof method === 'string') {
      const at = numberOf(message['emittedAtMs']) ?? Date.now()
      return isId
        ? this.#listener.onRequest(id, method, fieldsOf(params))
        : this.#listener.onNotification(method, fieldsOf(params), at)
    }
    if (typeof id !== 'number') return this.#listener.onMalformed('a message with neither method nor id')
    const waiting = this.#waiting.get(id)
    if (!waiting) return // we have given up on it
    this.#waiting.delete(id)
    clearTimeout(waiting.patience)
    if (isFields(message['error'])) waiting.reject(new RpcError(message['error']))
    else waiting.resolve(fieldsOf(message['result']))
  }

  /** What it started may hold its output open for ever; what it said itself is still heard. */
  #hangUp(before = -1): void {
    if (this.isOver) return
    if (this.#heard === before && !this.#isBusy) this.#program.stdout.destroy()
    else setTimeout(() => this.#hangUp(this.#heard), silenceMs)
  }
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
