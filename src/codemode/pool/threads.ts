import type { Image } from '../sandbox/image.ts'
import type { FromThread } from './messages.ts'
import { PoolThread } from './pool-thread.ts'
import type { Gone } from './pool-thread.ts'

interface Settings {
  min: number
  max: number
  idleMs: number
  isVerified?: boolean
}

interface Ears {
  onReady(): void
  onMessage(message: FromThread): void
  onGone(run: number | undefined, why: Gone): void
  isOverdue(run: number): boolean
}

/** A thread that does not even start is not started again at once. */
const againMs = 1_000
/** However many wait who have none. */
const mostThreads = 50
/** A run that has a thread for longer may have it for long. */
export const stallMs = 50

/** The threads that there are: enough, one that is spare, and none that nobody needs. */
export class Threads {
  readonly #image: Image
  readonly #settings: Settings
  readonly #ears: Ears
  readonly #all = new Set<PoolThread>()
  /** Threads that ended by themselves. */
  crashed = 0
  /** Threads that did not come back from a step, and were ended. */
  stuck = 0
  #notBefore = 0
  #isClosed = false

  constructor(image: Image, settings: Settings, ears: Ears) {
    this.#image = image
    this.#settings = settings
    this.#ears = ears
    for (let count = 0; count < settings.min; count += 1) this.#open()
  }

  get size(): number {
    return this.#all.size
  }

  get busy(): number {
    let busy = 0
    for (const thread of this.#all) if (thread.run !== undefined) busy += 1
    return busy
  }

  /** Ready, and without a run. The one that was used last: those that are not needed are left alone until they are let go. */
  free(): PoolThread | undefined {
    let best: PoolThread | undefined
    for (const thread of this.#all)
      if (thread.isReady && thread.run === undefined && (!best || thread.freeSince > best.freeSince))
        best = thread
    return best
  }

  /** Opens another one when all are taken, before it is needed: one after the other. */
  provide(waiting: number): void {
    const { min, max } = this.#settings
    if (this.#isClosed || this.#all.size >= max || performance.now() < this.#notBefore) return
    const isStarting = [...this.#all].some((thread) => !thread.isReady)
    if (isStarting && this.#all.size >= min) return
    if (this.#all.size < Math.max(min, this.busy + waiting + 1)) this.#open()
  }

  /** Opens one beyond `max`, when each that there is has been with the same run for a while. */
  provideBeyond(): void {
    const most = Math.max(mostThreads, this.#settings.max)
    if (this.#isClosed || this.#all.size >= most || performance.now() < this.#notBefore) return
    const takenBefore = performance.now() - stallMs
    for (const { run, takenAt } of this.#all) if (run === undefined || takenAt > takenBefore) return
    this.#open()
  }

  released(thread: PoolThread): void {
    const { min, idleMs } = this.#settings
    if (this.#all.size <= min || !this.#all.has(thread)) return
    thread.whenIdle(idleMs, () => {
      if (this.#all.size <= min || thread.run !== undefined) return
      const { busy } = this
      const isOnlySpare = busy > 0 && this.#all.size === busy + 1
      if (isOnlySpare) return this.released(thread)
      this.#all.delete(thread)
      void thread.close()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((thread) => thread.close()))
  }

  [Symbol.iterator](): IterableIterator<PoolThread> {
    return this.#all.values()
  }

  #open(): void {
    const thread = new PoolThread(this.#image, this.#settings.isVerified ?? false, {
      onMessage: (message) => {
        if (message.type !== 'ready') return this.#ears.onMessage(message)
        this.released(thread)
        this.#ears.onReady()
      },
      onGone: (why) => {
        this.#all.delete(thread)
        if (why.because === 'lost') this.crashed += 1
        else this.stuck += 1
        if (!thread.isReady) this.#wait()
        this.#ears.onGone(thread.run, why)
      },
      isOverdue: (run) => this.#ears.isOverdue(run),
    })
    this.#all.add(thread)
  }

  #wait(): void {
    this.#notBefore = performance.now() + againMs
    setTimeout(() => this.#ears.onReady(), againMs + 1).unref()
  }
}
