import type { Usage } from '#contract/agent-event.ts'
import { costOf } from './catalogue.ts'
import type { ModelFacts } from './catalogue.ts'
import type { TurnLimits } from './port.ts'
import type { StepUsage } from './step.ts'

export interface Meter {
  /** A step that was taken. */
  add(used: StepUsage): void
  /** What was asked of the model besides: a summary, or an answer that broke off. */
  addBeside(used: StepUsage): void
  /** Why it may go no further, if it may not. */
  over(limits: TurnLimits): string | undefined
}

/** What a turn uses. It goes on from what it had used when it was cut off. */
export function openMeter(facts: ModelFacts, before: Usage | null, tell: (usage: Usage) => void): Meter {
  let input = before?.inputTokens ?? 0
  let output = before?.outputTokens ?? 0
  let cachedInput = before?.cachedInputTokens ?? 0
  let reasoning = before?.reasoningTokens ?? 0
  let steps = before?.steps ?? 0
  let contextUsed = before?.contextUsed
  let costUsd = before ? before.costUsd : 0

  function count(used: StepUsage): void {
    input += used.input
    output += used.output
    cachedInput += used.cachedInput
    reasoning += used.reasoning
    const cost = costOf(facts, used)
    costUsd = costUsd === null || cost === null ? null : costUsd + cost
  }

  function tellAll(): void {
    tell({
      inputTokens: input,
      outputTokens: output,
      cachedInputTokens: cachedInput,
      reasoningTokens: reasoning,
      steps,
      costUsd,
      ...(contextUsed !== undefined && { contextUsed }),
      contextWindow: facts.window,
    })
  }

  return {
    add(used) {
      steps += 1
      contextUsed = used.input + used.output
      count(used)
      tellAll()
    },
    addBeside(used) {
      count(used)
      tellAll()
    },
    over({ steps: most, costUsd: mostUsd, tokens }) {
      if (most !== null && steps >= most) return `It has taken ${steps} steps, which is the limit (maxTurns)`
      const used = input + output
      if (tokens !== null && used >= tokens)
        return `It has used ${used} tokens, which is the limit (maxTokens)`
      if (mostUsd !== null && costUsd !== null && costUsd >= mostUsd)
        return `It has spent $${costUsd.toFixed(2)}, which is the limit (maxBudgetUsd)`
      return undefined
    },
  }
}
