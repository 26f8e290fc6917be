import { readLines } from '#lib/lines.ts'
import type { EnclosedAgent } from '../port.ts'
import { isObject, textIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'
import { Gone, RpcError } from './rpc-error.ts'

export type RequestId = string | number

interface Heard {
  /** The next line is read when these have resolved. */
  onRequest: (id: RequestId, method: string, params: JsonObject) => Promise<void>
  onNotification: (method: string, params: JsonObject) => Promise<void>
  /** A line that is no message: it is skipped. */
  onMalformed: (why: string) => Promise<void>
  /** Notes a line as it went over the wire. */
  frame: (direction: 'in' | 'out', line: string) => void
}

/** Once its process is dead, a stranger may still hold its output open. */
const lastWordsMs = 2_000
const lookMs = 100

/** JSON-RPC in lines, over the stdin and stdout of an agent. */
export class Wire {
  /** Resolves when nothing more will be heard. Never rejects. */
  readonly closed: Promise<void>
  readonly #program: EnclosedAgent
  readonly #heard: Heard
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0
  #isBusy = false
  #lastWord = 0
  #isClosed = false

  constructor(program: EnclosedAgent, heard: Heard) {
    this.#program = program
    this.#heard = heard
    const read = readLines(program.stdout, {
      take: (line) => this.#take(line),
      tooLong: (bytes) => void heard.onMalformed(`a line of ${bytes} bytes`),
    })
    this.closed = Promise.race([read, this.#lastWords()]).then(() => this.#close())
  }

  /** Rejects with RpcError, or Gone. */
  request(method: string, params: object): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Gone('The agent is gone'))
    const id = ++this.#lastId
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, answer)
    this.#write({ jsonrpc: '2.0', id, method, params })
    return answer.promise
  }

  notify(method: string, params: object): void {
    this.#write({ jsonrpc: '2.0', method, params })
  }

  answer(id: RequestId, result: object): void {
    this.#write({ jsonrpc: '2.0', id, result })
  }

  refuse(id: RequestId, code: number, message: string): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } })
  }

  #write(message: object): void {
    const line = JSON.stringify(message)
    this.#heard.frame('in', line)
    if (!this.#isClosed) this.#program.stdin?.write(`${line}\n`)
  }

  async #take(line: string): Promise<void> {
    this.#isBusy = true
    this.#heard.frame('out', line)
    await this.#understand(line)
    this.#lastWord = performance.now()
    this.#isBusy = false
  }

  /** Ids of theirs and of ours overlap: only the presence of a method tells a request from an answer. */
  async #understand(line: string): Promise<void> {
    const message = parse(line)
    if (!message) return this.#heard.onMalformed('a line that is not a message')
    const method = textIn(message, 'method')
    const { id } = message
    if (method === undefined) return this.#settle(message)
    const params = isObject(message['params']) ? message['params'] : {}
    if (typeof id === 'string' || typeof id === 'number') return this.#heard.onRequest(id, method, params)
    return this.#heard.onNotification(method, params)
  }

  #settle(message: JsonObject): Promise<void> | void {
    const id = message['id'] as number
    const waiting = this.#waiting.get(id)
    if (!waiting || !('result' in message || 'error' in message))
      return this.#heard.onMalformed('an answer to nothing that was asked')
    this.#waiting.delete(id)
    if ('error' in message) waiting.reject(new RpcError(message['error']))
    else waiting.resolve(message['result'])
  }

  async #lastWords(): Promise<void> {
    await this.#program.exited
    this.#lastWord = performance.now()
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (!this.#isClosed && (this.#isBusy || performance.now() - this.#lastWord < lastWordsMs)) return
        clearInterval(look)
        resolve()
      }, lookMs)
    })
  }

  #close(): void {
    this.#isClosed = true
    for (const { reject } of this.#waiting.values()) reject(new Gone('The agent is gone'))
    this.#waiting.clear()
  }
}

function parse(line: string): JsonObject | undefined {
  try {
    const message: unknown = JSON.parse(line)
    return isObject(message) ? message : undefined
  } catch {
    return undefined
  }
}
