import type { Usage } from '#contract/agent-event.ts'
import type { Fields } from './fields.ts'
import { fieldsOf, numberOf } from './fields.ts'

/** Codex tells what the whole thread has used, resumed turns included, and what its last call did. This is one turn's share. */
export class TurnUsage {
  #before: Fields | undefined
  #steps = 0
  #seen = -1

  take(tokenUsage: Fields): Usage {
    const [total, last] = [fieldsOf(tokenUsage['total']), fieldsOf(tokenUsage['last'])]
    this.#before ??= minus(total, last)
    const all = count(total, 'totalTokens')
    // The same numbers may be told twice; every call of the model adds to them.
    if (all > this.#seen) this.#steps += 1
    this.#seen = Math.max(all, this.#seen)
    const own = minus(total, this.#before)
    const window = numberOf(tokenUsage['modelContextWindow'])
    return {
      inputTokens: count(own, 'inputTokens'),
      outputTokens: count(own, 'outputTokens'),
      cachedInputTokens: count(own, 'cachedInputTokens'),
      reasoningTokens: count(own, 'reasoningOutputTokens'),
      steps: this.#steps,
      costUsd: null,
      contextUsed: count(last, 'totalTokens'),
      ...(window !== undefined && { contextWindow: Math.round(window) }),
    }
  }
}

const count = (fields: Fields, name: string): number => Math.max(0, Math.round(numberOf(fields[name]) ?? 0))

const minus = (from: Fields, what: Fields): Fields =>
  Object.fromEntries(Object.keys(from).map((name) => [name, count(from, name) - count(what, name)]))
