import type { SessionFacts } from '#contract/agent-event.ts'
import type { Agent } from '#contract/agent.ts'
import type { Capability } from '#contract/capability.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import type { Task } from '#contract/task.ts'
import { promptTemplateOf } from './capability.ts'
import { Problem, bodyMisfit } from './problem.ts'
import { fillPrompt, slotValues } from './template.ts'

/** The words for the agent. Who names a task and says nothing else means the task. */
export function promptOf(
  capability: Pick<Capability, 'promptTemplate'>,
  args: Record<string, unknown>,
  prompt: string | null | undefined,
  task: Pick<Task, 'title' | 'description'> | null,
): string {
  const words = prompt ?? (task ? [task.title, task.description].filter(Boolean).join('\n\n') : undefined)
  return fillPrompt(promptTemplateOf(capability), slotValues(args, words, task))
}

/** Nothing but space asks for nothing, unless something is attached. */
export function checkWords(field: string, words: string, files: readonly unknown[]): void {
  if (words.trim() === '' && files.length === 0)
    throw bodyMisfit(field, 'must have words, or something attached')
}

/** What a session has used in all its turns. */
export interface Spent {
  costUsd: number
  tokens: number
}

/** What the next turn may use. Throws `budget_spent` when nothing is left: it stops before it overspends again. */
export function limitsOf(agent: Agent, spent: Spent): TurnAsked['limits'] {
  const { maxBudgetUsd, maxTokens, maxTurns, name } = agent
  if (spent.costUsd >= maxBudgetUsd)
    throw new Problem(
      'budget_spent',
      `The session has used $${dollars(spent.costUsd)} of the $${maxBudgetUsd} that ${name} may spend in one: raise maxBudgetUsd of ${name}, or begin another session`,
      { costUsd: spent.costUsd, maxBudgetUsd },
    )
  if (maxTokens !== null && spent.tokens >= maxTokens)
    throw new Problem(
      'budget_spent',
      `The session has used ${spent.tokens} of the ${maxTokens} tokens that ${name} may use in one: raise maxTokens of ${name}, or begin another session`,
      { tokens: spent.tokens, maxTokens },
    )
  return {
    steps: maxTurns,
    costUsd: maxBudgetUsd - spent.costUsd,
    tokens: maxTokens === null ? null : maxTokens - spent.tokens,
  }
}

/** To the cent, and below one to where it says something. */
export const dollars = (amount: number): string =>
  amount < 1 ? String(Number(amount.toPrecision(3))) : amount.toFixed(2)

/** What the configuration lets all of them spend. */
export interface Budgets {
  perExecutionUsd: number
  perDayUsd?: number | undefined
}

/** The same limits, within what one execution and one day may cost. Throws `budget_spent` when the day has nothing left. */
export function withinBudgets(
  limits: TurnAsked['limits'],
  { perExecutionUsd, perDayUsd = Number.POSITIVE_INFINITY }: Budgets,
  spentTodayUsd: number,
): TurnAsked['limits'] {
  if (spentTodayUsd >= perDayUsd)
    throw new Problem(
      'budget_spent',
      `Today's agents have used $${dollars(spentTodayUsd)} of the $${perDayUsd} that they may spend in a day (UTC): wait for tomorrow, or raise budgets.perDayUsd`,
      { costUsd: spentTodayUsd, perDayUsd },
    )
  const costUsd = Math.min(
    limits.costUsd ?? Number.POSITIVE_INFINITY,
    perExecutionUsd,
    perDayUsd - spentTodayUsd,
  )
  return { ...limits, costUsd }
}

/** Whether a session that was forked has no history of its own yet: its next turn goes on in a copy of its parent's. */
export const isForkToMake = (session: {
  parentSessionId: string | null
  facts: Pick<SessionFacts, 'sessionRef'>
}): boolean => session.parentSessionId !== null && session.facts.sessionRef === undefined

/**
 * Whether what is asked below an execution goes on in its session: when it is over, and its own agent is talked to. What is
 * asked below one that lives, or of another agent, it has spawned.
 */
export const isContinuation = (
  parent: { agentId: string | null; endedAt: Date | null },
  capability: Pick<Capability, 'agentId' | 'interactionMode'>,
): boolean => parent.endedAt !== null && parent.agentId === capability.agentId && isTurn(capability)

/** Whether a capability is asked for in words, from an agent that holds a session. */
export const isTurn = (capability: Pick<Capability, 'interactionMode'>): boolean =>
  capability.interactionMode === 'prompt'
