import type { Usage } from '#contract/agent-event.ts'
import type { TurnEnd } from '../port.ts'
import type { ModelUsage, ResultFrame } from './frame.ts'

/** `subtype` does not tell: an API error is a `success` with `is_error`. */
export function endOf(result: ResultFrame): TurnEnd {
  if (!result.is_error) return { reason: 'completed', message: null }
  if (result.terminal_reason?.startsWith('aborted')) return { reason: 'interrupted', message: null }
  return { reason: 'failed', message: explain(result) }
}

function explain({ subtype, result, errors = [] }: ResultFrame): string {
  const said = errors.join('; ')
  if (subtype === 'error_max_turns') return `The limit of steps is reached: ${said || 'Claude Code stopped'}`
  if (subtype === 'error_max_budget_usd')
    return `The budget in dollars is spent: ${said || 'Claude Code stopped'}`
  return result || said || `Claude Code could not go on (${subtype ?? 'no reason given'})`
}

/**
 * What was used since the last result. `total_cost_usd` and `modelUsage` are sums over the whole session, also over what was
 * resumed, so they are of no use here.
 */
export function usageOf(result: ResultFrame): Usage {
  const models = Object.values(result.model_usage_since_last_result ?? {})
  const sum = (count: (model: ModelUsage) => number | undefined) =>
    models.reduce((total, model) => total + (count(model) ?? 0), 0)
  const cached = sum((model) => model.cacheReadInputTokens)
  const reasoning = sum((model) => model.thinkingTokens)
  const window = Math.max(0, ...models.map((model) => model.contextWindow ?? 0))
  return {
    inputTokens: sum((model) => model.inputTokens) + cached + sum((model) => model.cacheCreationInputTokens),
    outputTokens: sum((model) => model.outputTokens),
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    ...(window > 0 && { contextWindow: window }),
    steps: result.num_turns ?? 0,
    costUsd: sum((model) => model.costUSD),
  }
}

export function addUsage(a: Usage, b: Usage): Usage {
  const cached = (a.cachedInputTokens ?? 0) + (b.cachedInputTokens ?? 0)
  const reasoning = (a.reasoningTokens ?? 0) + (b.reasoningTokens ?? 0)
  const [window, used] = [b.contextWindow ?? a.contextWindow, b.contextUsed ?? a.contextUsed]
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    ...(cached > 0 && { cachedInputTokens: cached }),
    ...(reasoning > 0 && { reasoningTokens: reasoning }),
    ...(window !== undefined && { contextWindow: window }),
    ...(used !== undefined && { contextUsed: used }),
    steps: (a.steps ?? 0) + (b.steps ?? 0),
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  }
}

export const nothingUsed: Usage = { inputTokens: 0, outputTokens: 0, steps: 0, costUsd: 0 }
