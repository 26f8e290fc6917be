import { Worker } from 'node:worker_threads'
import { usageOf } from './usage.ts'
import type { Complaint } from './project.ts'
import type { FromChecker, ToChecker } from './messages.ts'
import { RunQueue } from '../pool/run-queue.ts'

export interface CheckerSettings {
  /** It sleeps after so long without work: no thread, no process, no memory. */
  idleMs: number
  /** Of the native process, for one check. */
  cpuMs: number
  wallMs: number
  memoryBytes: number
}

/** Types that take for ever, or that fill the memory. */
export class CheckEnded extends Error {}

interface Asked {
  id: number
  owner: string
  tools: string
  code: string
  onDone: (complaints: Complaint[]) => void
  onFailed: (error: Error) => void
}

const lookMs = 50

/** The type checker, in a thread of its own. It is started when it is needed, checks one after the other, and survives what it checks. */
export class Checker {
  readonly #settings: CheckerSettings
  readonly #queue = new RunQueue<Asked>()
  #worker: Worker | undefined
  #pid: number | undefined
  #current:
    | { asked: Asked; since: number; cpuBefore: number; watch: NodeJS.Timeout; isRetried: boolean }
    | undefined
  #idle: NodeJS.Timeout | undefined
  #ended: CheckEnded | undefined
  #last = 0
  #isClosed = false

  constructor(settings: CheckerSettings) {
    this.#settings = settings
  }

  get isAwake(): boolean {
    return this.#worker !== undefined
  }

  get waiting(): number {
    return this.#queue.size
  }

  waitingOf(owner: string): number {
    return this.#queue.sizeOf(owner)
  }

  /** Rejects with CheckEnded when it takes too much, and with the signal's reason. */
  check(owner: string, tools: string, code: string, signal: AbortSignal): Promise<Complaint[]> {
    const { promise, resolve: onDone, reject: onFailed } = Promise.withResolvers<Complaint[]>()
    if (this.#isClosed) return Promise.reject(new Error('The type checker was stopped'))
    const asked: Asked = { id: (this.#last += 1), owner, tools, code, onDone, onFailed }
    const leave = () => {
      this.#queue.remove(owner, asked)
      onFailed(signal.reason instanceof Error ? signal.reason : new Error('It was cancelled'))
    }
    if (signal.aborted) leave()
    else {
      signal.addEventListener('abort', leave, { once: true })
      this.#queue.add(owner, asked)
      this.#next()
    }
    return promise.finally(() => signal.removeEventListener('abort', leave))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (let asked = this.#queue.next(); asked; asked = this.#queue.next())
      asked.onFailed(new Error('The type checker was stopped'))
    this.#current?.asked.onFailed(new Error('The type checker was stopped'))
    await this.#sleep()
  }

  #next(): void {
    if (this.#current || this.#isClosed) return
    const asked = this.#queue.next()
    if (!asked) {
      this.#idle = setTimeout(() => void this.#sleep(), this.#settings.idleMs).unref()
      return
    }
    this.#tell(asked, false)
  }

  #tell(asked: Asked, isRetried: boolean): void {
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#open())
    const watch = setInterval(() => this.#look(), lookMs).unref()
    const cpuBefore = this.#usage()?.cpuMs ?? 0
    this.#current = { asked, since: performance.now(), cpuBefore, watch, isRetried }
    const { id, tools, code } = asked
    worker.postMessage({ id, tools, code } satisfies ToChecker)
  }

  #open(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      // The native process gets the same: nothing of ours. The limit only makes it collect in time.
      env: { GOMEMLIMIT: String(Math.round(this.#settings.memoryBytes / 2)) },
      resourceLimits: { maxOldGenerationSizeMb: 128 },
      stdout: true,
      stderr: true,
    })
    worker.unref()
    worker.on('message', (message: FromChecker) => this.#hear(message))
    worker.on('error', (error) => this.#lost(worker, error.message))
    worker.on('exit', () => this.#lost(worker, 'The thread ended'))
    return worker
  }

  #hear(message: FromChecker): void {
    if (message.type === 'process') {
      this.#pid = message.pid
      if (this.#current) this.#current.cpuBefore = 0
      return
    }
    if (this.#current?.asked.id !== message.id) return
    if (message.type === 'failed') return this.#failed(message.message)
    this.#done()?.onDone(message.complaints)
    const used = this.#usage()?.memoryBytes ?? 0
    if (used > this.#settings.memoryBytes / 2) this.#kill()
    this.#next()
  }

  #done(): Asked | undefined {
    const current = this.#current
    clearInterval(current?.watch)
    this.#current = undefined
    this.#ended = undefined
    return current?.asked
  }

  /** Its process died. That it was ended is the code's own doing; else it is tried once more. */
  #failed(message: string): void {
    const ended = this.#ended
    const isRetried = this.#current?.isRetried ?? true
    const asked = this.#done()
    this.#pid = undefined
    if (!asked) return
    if (!ended && !isRetried) return this.#tell(asked, true)
    asked.onFailed(ended ?? new Error(message))
    this.#next()
  }

  #lost(worker: Worker, message: string): void {
    if (worker !== this.#worker) return
    this.#kill()
    this.#worker = undefined
    this.#failed(message)
  }

  #look(): void {
    const { cpuMs, wallMs, memoryBytes } = this.#settings
    const current = this.#current
    if (!current || this.#ended) return
    const usage = this.#usage()
    const wall = performance.now() - current.since
    if (usage && usage.memoryBytes > memoryBytes)
      this.#ended = new CheckEnded('Its types take more memory than checking may: make them simpler')
    else if (wall > wallMs || (usage && usage.cpuMs - current.cpuBefore > cpuMs))
      this.#ended = new CheckEnded('Its types take too long to check: make them simpler')
    if (this.#ended) this.#kill()
  }

  #usage(): { cpuMs: number; memoryBytes: number } | undefined {
    return this.#pid === undefined ? undefined : usageOf(this.#pid)
  }

  /** The thread stands still until its process answers or is gone, so it is the process that is ended. */
  #kill(): void {
    if (this.#pid === undefined) return
    try {
      process.kill(this.#pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
    this.#pid = undefined
  }

  async #sleep(): Promise<void> {
    clearTimeout(this.#idle)
    clearInterval(this.#current?.watch)
    const worker = this.#worker
    this.#worker = undefined
    this.#kill()
    await worker?.terminate()
  }
}
