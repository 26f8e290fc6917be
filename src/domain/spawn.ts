import type { Agent, PermissionPolicy } from '#contract/agent.ts'
import type { TurnAsked } from '#contract/keeper.ts'
import type { Task } from '#contract/task.ts'
import { fits } from '#lib/glob.ts'
import { deepestSpawn } from './execution.ts'
import type { Rule } from './policy.ts'
import { Problem } from './problem.ts'
import { askingModes } from './session.ts'
import { dollars } from './turn.ts'

// What keeps agents that start one another from running away. All of it is counted from rows, within one family: everything that
// came, in the end, of what one person started. People are held to the depth and the budgets only.

export const spawnCooldownSec = 30
export const mostSpawnedAtOnce = 3
/** How long it usually makes sense to wait until one of several agents is done. */
const patienceSec = 30

/** The agent that wants to start another one. */
export interface Spawner {
  depth: number
  task: Pick<Task, 'title' | 'depth'> | null
}

/** Throws when the agent is too deep in a chain of agents, or in a tree of tasks, to start another one. */
export function checkDepth({ depth, task }: Spawner): void {
  const instead = 'Do it yourself, or leave a task on the board for a person to start'
  if (depth >= deepestSpawn)
    throw new Problem(
      'spawn_too_deep',
      `Agents can start one another ${deepestSpawn} deep, and you are at depth ${depth}. Waiting does not help. ${instead}`,
      { guard: 'depth', limit: deepestSpawn, used: depth },
    )
  if (task && task.depth >= deepestSpawn)
    throw new Problem(
      'spawn_too_deep',
      `Your task "${task.title}" is ${task.depth} levels deep, and from ${deepestSpawn} levels on no agent is started. Waiting does not help. ${instead}`,
      { guard: 'task depth', limit: deepestSpawn, used: task.depth },
    )
}

/** What the agents of a family are doing. */
export interface Family {
  /** Started by agents, and not over. */
  live: number
  /** How long ago an agent has last started the one that is wanted; null: none ever has. */
  startedSecAgo: number | null
}

/** Throws when agents have started as many others as may work at once, or this one a moment ago. */
export function checkPace({ live, startedSecAgo }: Family, name: string): void {
  if (live >= mostSpawnedAtOnce)
    throw new Problem(
      'spawn_at_limit',
      `Agents can have started ${mostSpawnedAtOnce} others that are not done yet, and ${live} are queued or running. Wait until one is done, and try again in ${patienceSec} s`,
      { guard: 'concurrency', limit: mostSpawnedAtOnce, used: live, retryAfterSec: patienceSec },
    )
  if (startedSecAgo === null || startedSecAgo >= spawnCooldownSec) return
  const retryAfterSec = Math.max(1, Math.ceil(spawnCooldownSec - startedSecAgo))
  throw new Problem(
    'spawn_cooldown',
    `Agents can start ${name} once in ${spawnCooldownSec} s, and did so ${Math.floor(startedSecAgo)} s ago. Try again in ${retryAfterSec} s`,
    { guard: 'cooldown', limit: spawnCooldownSec, used: Math.floor(startedSecAgo), retryAfterSec },
  )
}

/** A session on the way up to the one that a person began, with what it and everything below it has cost. */
export interface ChainLink {
  agentName: string
  maxBudgetUsd: number
  spentUsd: number
}

/** The same limits, within what is left of every agent's budget further up. Throws `budget_spent` when that is nothing. */
export function withinChain(limits: TurnAsked['limits'], chain: readonly ChainLink[]): TurnAsked['limits'] {
  const spent = chain.find(({ maxBudgetUsd, spentUsd }) => spentUsd >= maxBudgetUsd)
  if (spent) throw chainSpent(spent)
  const left = chain.map(({ maxBudgetUsd, spentUsd }) => maxBudgetUsd - spentUsd)
  return { ...limits, costUsd: Math.min(limits.costUsd ?? Number.POSITIVE_INFINITY, ...left) }
}

const chainSpent = ({ agentName, maxBudgetUsd, spentUsd }: ChainLink) =>
  new Problem(
    'budget_spent',
    `${agentName} and the agents that it has started have used $${dollars(spentUsd)} of the $${maxBudgetUsd} that its session may spend. Waiting does not help: somebody has to raise maxBudgetUsd of ${agentName}, or begin another session`,
    { guard: 'budget', costUsd: spentUsd, maxBudgetUsd },
  )

const freedom: Record<PermissionPolicy, number> = { deny: 0, ask: 1, reads: 2, all: 3 }

/** Modes in which no agent that has them asks about anything. */
const silentModes = new Set(['bypassPermissions', 'never', 'yolo', 'full-access', 'agent-full-access'])
/** What agents are told on their command line so that they ask less. */
const silencing =
  /^-y$|^--(yolo|full-auto|approval-mode|permission-mode|allowed-?tools|(allow-)?dangerously-)|approval_policy/i

/** How much an agent asks: what its policy grants of it, what it does not ask by itself, and what is said of it alone. */
export type Asking = Pick<Agent, 'permissionPolicy' | 'adapter' | 'mode' | 'args' | 'allowedTools'> & {
  /** Those for this agent; those for every agent hold for both. */
  ownRules: readonly Rule[]
}

/**
 * Whether an agent may do what the one that starts it may not, or without asking what that has to ask for. A person is asked first then. What an agent does
 * not ask by itself is seen by no rule, so a policy that grants everything is not as free. Of a mode that is not known the worst is thought.
 */
export function isFreer(started: Asking, by: Asking): boolean {
  if (freedom[started.permissionPolicy] > freedom[by.permissionPolicy]) return true
  if (reachesMore(started, by) || isRuledLess(started, by)) return true
  return asksLess(started) && !isSilent(by) && !isLike(started, by)
}

/** Whether there may be a tool that one can call and the other cannot. No patterns: all tools. */
function reachesMore({ allowedTools: more }: Asking, { allowedTools: known }: Asking): boolean {
  if (known.length === 0) return false
  return more.length === 0 || more.some((pattern) => !known.some((wider) => covers(wider, pattern)))
}

/** A `*` is fitted by nothing but a `*`, so whatever the narrower one fits is fitted too; unless it stands for itself. */
const covers = (wider: string, pattern: string): boolean =>
  wider === pattern || (!wider.includes('\\') && fits(wider, pattern))

/** Whether a rule lets the one pass, or holds the other back, that there is not for both. */
function isRuledLess({ ownRules: looser }: Asking, { ownRules: stricter }: Asking): boolean {
  const has = (rules: readonly Rule[], { tool, argument }: Rule, ...effects: Rule['effect'][]) =>
    rules.some((one) => one.tool === tool && one.argument === argument && effects.includes(one.effect))
  return (
    looser.some((rule) => rule.effect === 'allow' && !has(stricter, rule, 'allow')) ||
    stricter.some((rule) => rule.effect !== 'allow' && !has(looser, rule, rule.effect, 'deny'))
  )
}

const asksLess = ({ mode, args }: Asking): boolean =>
  (mode !== null && !askingModes.includes(mode)) || args.some((arg) => silencing.test(arg))

const isSilent = ({ mode }: Asking): boolean => mode !== null && silentModes.has(mode)

const isLike = (one: Asking, other: Asking): boolean =>
  one.adapter === other.adapter && one.mode === other.mode && one.args.join('\0') === other.args.join('\0')
