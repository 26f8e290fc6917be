import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Image } from '../sandbox/image.ts'
import { Beat } from './beat.ts'
import type { FromThread, ToThread } from './messages.ts'

interface Ears {
  onMessage(message: FromThread): void
  /** It is gone: it ended by itself, or it did not come back from a step and was ended. */
  onGone(why: Gone): void
  /** Should its run have come out by now, because its time is over or because it was asked to? */
  isOverdue(run: number): boolean
}

/** `cpuOverMs`: how much more of the processor its run has used than it may; less than 0 when it had some left. */
export type Gone =
  | { because: 'lost'; message: string }
  | { because: 'overdue' | 'cpu'; cpuOverMs: number | undefined }

const watchMs = 50
/** What runs is ended by itself when it is asked, which it is often; what does not come back for so long is not asked. */
export const graceMs = 250
const mostImages = 4

/** A thread as the pool sees it: which run it holds, and whether it still comes back from its steps. */
export class PoolThread {
  readonly #worker: Worker
  readonly #beat = new Beat()
  readonly #ears: Ears
  readonly #own: string
  /** Images that it has besides the one of the pool, the last used at the end. */
  readonly #others: string[] = []
  #watch: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #isAsked = false
  #isOver = false
  run: number | undefined
  isReady = false
  takenAt = 0
  freeSince = 0

  constructor(image: Image, isVerified: boolean, ears: Ears) {
    this.#ears = ears
    this.#own = image.hash
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { image, isVerified, beat: this.#beat.shared },
      // It is given nothing of ours.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 64, stackSizeMb: 8 },
      stdout: true,
      stderr: true,
    })
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => {
      if (message.type === 'ready') this.isReady = true
      if (!this.#isOver) ears.onMessage(message)
    })
    this.#worker.on('error', (error) => this.#gone({ because: 'lost', message: error.message }))
    this.#worker.on('exit', () => this.#gone({ because: 'lost', message: 'The thread ended' }))
  }

  get isInStep(): boolean {
    return this.#beat.since !== 0
  }

  /** What its run has used, as far as it was seen in the middle of its step. */
  get used(): { cpuMs: number; memoryBytes: number } {
    return this.#beat.used
  }

  take(run: number): void {
    this.run = run
    this.takenAt = performance.now()
    this.#beat.isStopped = false
    this.#beat.see(0, 0)
    clearTimeout(this.#idle)
    this.#watch ??= setInterval(() => this.#look(), watchMs).unref()
  }

  leave(): void {
    this.run = undefined
    this.freeSince = performance.now()
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  /** For the step that it is told of next. */
  set isAlone(value: boolean) {
    this.#beat.isAlone = value
  }

  tell(message: ToThread): void {
    this.#worker.postMessage(message, [])
  }

  /** Ends the step that is under way, as soon as it asks. */
  stop(): void {
    this.#beat.isStopped = true
  }

  /** What has to be sent along so that it has this image. */
  bring(image: Image | undefined): { image?: Image; forget?: string } {
    if (!image || image.hash === this.#own) return {}
    const at = this.#others.indexOf(image.hash)
    if (at !== -1) this.#others.splice(at, 1)
    this.#others.push(image.hash)
    if (at !== -1) return {}
    const forget = this.#others.length > mostImages ? this.#others.shift() : undefined
    return forget === undefined ? { image } : { image, forget }
  }

  /** Once, after a while in which it holds nothing; only the last that was asked for. */
  whenIdle(afterMs: number, work: () => void): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(work, afterMs).unref()
  }

  async close(): Promise<void> {
    this.#isOver = true
    this.leave()
    clearTimeout(this.#idle)
    await this.#worker.terminate()
  }

  #look(): void {
    const { since } = this.#beat
    if (since === 0 || this.run === undefined) return
    if (this.#ears.isOverdue(this.run)) void this.#examine(since, true)
    else if (performance.timeOrigin + performance.now() - since > graceMs) void this.#examine(since, false)
  }

  /** Time that passes says little on a machine that is busy: what its thread has used itself is what counts. */
  async #examine(since: number, isOverdue: boolean): Promise<void> {
    if (this.#isAsked) return
    this.#isAsked = true
    const cpuOverMs = await this.#cpuOverMs()
    this.#isAsked = false
    if (this.#beat.since !== since) return
    if (isOverdue) this.#give({ because: 'overdue', cpuOverMs })
    else if (cpuOverMs !== undefined && cpuOverMs > graceMs) this.#give({ because: 'cpu', cpuOverMs })
  }

  /** Undefined when it does not tell. */
  async #cpuOverMs(): Promise<number | undefined> {
    try {
      const late = sleep(graceMs, undefined, { ref: false })
      const usage = await Promise.race([this.#worker.cpuUsage(), late])
      return usage && (usage.user + usage.system) / 1_000 - this.#beat.cpuUntil
    } catch {
      // It has ended meanwhile, which is told by itself.
      return undefined
    }
  }

  #give(why: Gone): void {
    void this.#worker.terminate()
    this.#gone(why)
  }

  #gone(why: Gone): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#watch)
    clearTimeout(this.#idle)
    this.#ears.onGone(why)
  }
}
