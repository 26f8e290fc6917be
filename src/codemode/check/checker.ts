import type { Diagnostic } from '#contract/execute.ts'
import { RunQueue } from '../pool/run-queue.ts'
import { CheckProcess, slowMs } from './check-process.ts'
import type { Asked, CheckLimits } from './check-process.ts'
import type { Checked } from './messages.ts'

export { CheckEnded } from './check-process.ts'

const mostProcesses = 3
/** What all processes have together, in terms of what one may have. */
const allMemory = 1.5
const stopped = 'Signalbox was stopped while its types were checked'

/**
 * Reads code before it runs, in a process that is started when it is needed. One after the other, everybody in turn; while the code of one
 * owner takes long, another process reads what the others have.
 */
export class Checker {
  readonly #limits: CheckLimits
  readonly #queue = new RunQueue<Asked>()
  readonly #processes: readonly CheckProcess[]
  #slowTimer: NodeJS.Timeout | undefined
  #last = 0
  #isClosed = false

  constructor(limits: CheckLimits) {
    this.#limits = limits
    this.#processes = Array.from({ length: mostProcesses }, () => {
      const one: CheckProcess = new CheckProcess(limits, {
        onFree: () => this.#next(),
        onAgain: (asked) => this.#queue.add(asked.owner, asked, true),
        mayHave: (memoryBytes) => this.#mayHave(one, memoryBytes),
      })
      return one
    })
  }

  get isAwake(): boolean {
    return this.#processes.some((one) => one.isAwake)
  }

  get waiting(): number {
    return this.#queue.size
  }

  waitingOf(owner: string): number {
    return this.#queue.sizeOf(owner)
  }

  /** Rejects with CheckEnded when it takes too much, and with the signal's reason. */
  check(owner: string, code: string, tools: string | undefined, signal: AbortSignal): Promise<Checked> {
    return this.#ask({ owner, code, tools, isDeclarations: false }, signal)
  }

  /** What is wrong with declarations that somebody has written. */
  async checkDeclarations(tools: string): Promise<Diagnostic[]> {
    const { signal } = new AbortController()
    const checked = await this.#ask({ owner: '', code: '', tools, isDeclarations: true }, signal)
    return 'types' in checked ? checked.types : []
  }

  #ask(
    what: Pick<Asked, 'owner' | 'code' | 'tools' | 'isDeclarations'>,
    signal: AbortSignal,
  ): Promise<Checked> {
    const { owner } = what
    const { promise, resolve: onDone, reject: onFailed } = Promise.withResolvers<Checked>()
    const asked: Asked = { ...what, id: (this.#last += 1), deaths: 0, onDone, onFailed }
    const leave = () => {
      this.#queue.remove(owner, asked)
      onFailed(new Error(String(signal.reason)))
    }
    if (this.#isClosed) onFailed(new Error(stopped))
    else if (signal.aborted) leave()
    else {
      signal.addEventListener('abort', leave, { once: true })
      this.#queue.add(owner, asked)
      this.#next()
    }
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (let asked = this.#queue.next(); asked; asked = this.#queue.next()) asked.onFailed(new Error(stopped))
    clearTimeout(this.#slowTimer)
    await Promise.all(this.#processes.map((one) => one.close(stopped)))
  }

  #next(): void {
    if (this.#isClosed) return
    while (this.#queue.size > 0) {
      const free = this.#free()
      const asked = free && this.#queue.next(this.#isRead)
      if (!asked) break
      free.begin(asked)
    }
    if (this.#queue.size > 0) this.#slowTimer ??= setTimeout(() => this.#lookAgain(), slowMs).unref()
  }

  #lookAgain(): void {
    this.#slowTimer = undefined
    this.#next()
  }

  /** Nobody has two of them. */
  readonly #isRead = (owner: string): number =>
    this.#processes.some((one) => one.owner === owner) ? Infinity : 0

  /** One that is awake, or another one when all that are take long. */
  #free(): CheckProcess | undefined {
    const awake = this.#processes.filter((one) => one.isAwake)
    const idle = awake.find((one) => one.owner === undefined)
    if (idle || !awake.every((one) => one.isSlow)) return idle
    return this.#processes.find((one) => !one.isAwake)
  }

  #mayHave(one: CheckProcess, memoryBytes: number): boolean {
    const others = this.#processes.filter((other) => other !== one).map((other) => other.memoryBytes)
    return isWithin(this.#limits.memoryBytes, memoryBytes, others)
  }
}

/** Of one by itself, and of all together: when that is too much, it is whoever has most. */
export function isWithin(most: number, own: number, others: readonly number[]): boolean {
  const all = others.reduce((sum, bytes) => sum + bytes, own)
  return own <= most && (all <= most * allMemory || others.some((bytes) => bytes > own))
}
