import type { Usage } from '#contract/agent-event.ts'
import { countIn, isObject, objectIn } from './json-value.ts'
import type { JsonObject } from './json-value.ts'

/** What a turn uses, from what agents tell: tokens at the end of each prompt, and the cost of the whole session so far. */
export class Meter {
  /** Where it is unknown at first, what it cost before is in the figure that comes next. */
  #sessionCost: number | undefined
  #costBefore: number | undefined
  #cost: number | null = null
  #tokens = { input: 0, output: 0, cached: 0, reasoning: 0 }
  #context: { used: number; size: number } | undefined

  constructor(sessionCost: number | undefined) {
    this.#sessionCost = sessionCost
  }

  beginTurn(): void {
    this.#costBefore = this.#sessionCost
    this.#cost = null
    this.#tokens = { input: 0, output: 0, cached: 0, reasoning: 0 }
  }

  /** `usage_update`. False when it cannot be understood. */
  update(update: JsonObject): boolean {
    const [used, size] = [countIn(update, 'used'), countIn(update, 'size')]
    if (used === undefined || size === undefined) return false
    this.#context = { used, size }
    const { amount, currency } = objectIn(update, 'cost')
    if (typeof amount !== 'number' || !Number.isFinite(amount) || currency !== 'USD') return true
    this.#sessionCost = amount
    if (this.#costBefore !== undefined) this.#cost = round(Math.max(0, amount - this.#costBefore))
    return true
  }

  /** The answer to `session/prompt`. */
  endPrompt(result: unknown): void {
    const usage = isObject(result) && isObject(result['usage']) ? result['usage'] : undefined
    const quota = objectIn(objectIn(objectIn(result, '_meta'), 'quota'), 'token_count')
    this.#tokens.input += countIn(usage, 'inputTokens') ?? countIn(quota, 'input_tokens') ?? 0
    this.#tokens.output += countIn(usage, 'outputTokens') ?? countIn(quota, 'output_tokens') ?? 0
    this.#tokens.cached += countIn(usage, 'cachedReadTokens') ?? 0
    this.#tokens.reasoning += countIn(usage, 'thoughtTokens') ?? 0
  }

  read(steps: number): Usage {
    const { input, output, cached, reasoning } = this.#tokens
    return {
      inputTokens: input,
      outputTokens: output,
      ...(cached > 0 && { cachedInputTokens: cached }),
      ...(reasoning > 0 && { reasoningTokens: reasoning }),
      steps,
      costUsd: this.#cost,
      ...(this.#context && { contextUsed: this.#context.used, contextWindow: this.#context.size }),
    }
  }
}

/** Differences of fractions of cents are not exact. */
const round = (dollars: number): number => Math.round(dollars * 1e9) / 1e9
