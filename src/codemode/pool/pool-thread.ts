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

export type Gone = { because: 'lost'; message: string } | { because: 'overdue' | 'cpu' }

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

  take(run: number): void {
    this.run = run
    this.#beat.isStopped = false
    clearTimeout(this.#idle)
    this.#watch ??= setInterval(() => this.#look(), watchMs).unref()
  }

  leave(): void {
    this.run = undefined
    this.freeSince = performance.now()
    clearInterval(this.#watch)
    this.#watch = undefined
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
    if (this.#ears.isOverdue(this.run)) return this.#give({ because: 'overdue' })
    if (performance.timeOrigin + performance.now() - since > graceMs) void this.#lookAtProcessor(since)
  }

  /** Time that passes says little on a machine that is busy: what its thread has used itself is what counts. */
  async #lookAtProcessor(since: number): Promise<void> {
    if (this.#isAsked) return
    this.#isAsked = true
    try {
      const { user, system } = await this.#worker.cpuUsage()
      const isSameStep = this.#beat.since === since
      if (isSameStep && (user + system) / 1_000 > this.#beat.cpuUntil + graceMs)
        this.#give({ because: 'cpu' })
    } catch {
      // It has ended meanwhile, which is told by itself.
    } finally {
      this.#isAsked = false
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
