import { Worker } from 'node:worker_threads'
import type { Image } from '../sandbox/image.ts'
import { beatBytes } from './messages.ts'
import type { FromThread, ToThread } from './messages.ts'

interface Ears {
  onMessage(message: FromThread): void
  /** It is gone; `stuck` when it was ended because it did not come back. */
  onGone(message: string): void
  isStuck(run: number, sinceMs: number): boolean
}

const watchMs = 50

/** A thread as the pool sees it: which run it holds, and whether it still comes back from its steps. */
export class PoolThread {
  readonly #worker: Worker
  readonly #beat = new SharedArrayBuffer(beatBytes)
  readonly #began = new Float64Array(this.#beat)
  readonly #ears: Ears
  #watch: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined
  #isOver = false
  run: number | undefined

  constructor(image: Image, ears: Ears) {
    this.#ears = ears
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData: { image, beat: this.#beat },
      // It is given nothing of ours.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 64, stackSizeMb: 8 },
      stdout: true,
      stderr: true,
    })
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => ears.onMessage(message))
    this.#worker.on('error', (error) => this.#gone(error.message))
    this.#worker.on('exit', () => this.#gone('The thread ended'))
  }

  take(run: number): void {
    this.run = run
    clearTimeout(this.#idle)
    this.#watch ??= setInterval(() => this.#look(), watchMs).unref()
  }

  leave(): void {
    this.run = undefined
    clearInterval(this.#watch)
    this.#watch = undefined
  }

  tell(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  /** Once, after a while; only the last that was asked for. */
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
    const began = this.#began[0]!
    if (began === 0 || this.run === undefined) return
    const sinceMs = performance.timeOrigin + performance.now() - began
    if (!this.#ears.isStuck(this.run, sinceMs)) return
    void this.#worker.terminate()
    this.#gone('stuck')
  }

  #gone(message: string): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#watch)
    clearTimeout(this.#idle)
    this.#ears.onGone(message)
  }
}
