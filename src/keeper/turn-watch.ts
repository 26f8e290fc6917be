import type { Usage } from '#contract/agent-event.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import type { Clock } from './clock.ts'

const lookMs = 1_000

interface Told {
  /** No word for a while, and nobody is asked anything; `false` when it speaks again. */
  onStall: (silentMs: number | false) => void
  /** One line: what is spent. */
  onSpent: (why: string) => void
}

/** What a keeper watches in a turn: who is being asked, how long it is silent, and what it spends. */
export class TurnWatch {
  readonly #asked: TurnAsked
  readonly #clock: Clock
  readonly #told: Told
  readonly #waiting = new Set<string>()
  readonly #timer: NodeJS.Timeout
  #lastWord = performance.now()
  #isStalled = false
  #isSpent = false

  constructor(asked: TurnAsked, clock: Clock, told: Told) {
    this.#asked = asked
    this.#clock = clock
    this.#told = told
    this.#timer = setInterval(() => this.#look(), Math.min(lookMs, asked.stallMs / 4))
  }

  /** The agent has said something. */
  heard(): void {
    this.#lastWord = performance.now()
    if (!this.#isStalled) return
    this.#isStalled = false
    this.#told.onStall(false)
  }

  /** The time-out stands still while a person is asked. */
  ask(requestId: string): void {
    this.#waiting.add(requestId)
    this.#clock.hold()
  }

  /** Answered, or not waited for any more. */
  settle(requestId: string): void {
    this.#waiting.delete(requestId)
    this.#lastWord = performance.now()
    if (this.#waiting.size === 0) this.#clock.goOn()
  }

  spend({ inputTokens, outputTokens, steps = 0, costUsd }: Usage): void {
    const { limits } = this.#asked
    const tokens = inputTokens + outputTokens
    const over =
      (limits.costUsd !== null && (costUsd ?? 0) > limits.costUsd && 'The budget in dollars is spent') ||
      (limits.tokens !== null && tokens > limits.tokens && 'The budget in tokens is spent') ||
      (limits.steps !== null && steps > limits.steps && `The limit of ${limits.steps} steps is reached`)
    if (!over || this.#isSpent) return
    this.#isSpent = true
    this.#told.onSpent(over)
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const silentMs = performance.now() - this.#lastWord
    if (this.#isStalled || this.#waiting.size > 0 || silentMs < this.#asked.stallMs) return
    this.#isStalled = true
    this.#told.onStall(Math.round(silentMs))
  }
}
