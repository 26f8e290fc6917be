import type { Principal } from '#contract/access.ts'
import type { AgentKind } from '#contract/agent.ts'
import type { ExecutionStatus } from '#contract/execution.ts'
import type { SpoolRecord } from '#contract/keeper.ts'
import type { Task } from '#contract/task.ts'
import { isPerson } from './access.ts'
import { Problem } from './problem.ts'

/** How many executions may spawn one another in a row, counted from the first, which has depth 0. */
export const deepestSpawn = 3

/** What an execution becomes when somebody cancels it. What is being cancelled already stays so. */
export function nextOnCancel(status: ExecutionStatus): 'cancelled' | 'cancelling' {
  switch (status) {
    case 'queued':
      return 'cancelled'
    case 'running':
    case 'cancelling':
      return 'cancelling'
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'timed_out':
      throw new Problem('execution_ended', `The execution is over already: it ${wordsOf[status]}`, { status })
  }
}

const wordsOf = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'was cancelled',
  timed_out: 'timed out',
}

/** How it ended, as its keeper or its worker tells it. */
export type Ended = Extract<SpoolRecord, { type: 'ended' }>['payload']
type End = { status: keyof typeof wordsOf; error: string | null }

/**
 * What the last record means for an execution that was in this status. Cancelled is only what is proven dead.
 */
export function endOf(status: ExecutionStatus, { reason, exitCode, signal, message }: Ended): End {
  if (reason === 'not_killed')
    return { status: 'failed', error: message ?? 'It could not be ended, not even by SIGKILL' }
  if (reason === 'machine_lost') return { status: 'failed', error: message ?? 'machine lost' }
  if (status === 'cancelling') return { status: 'cancelled', error: 'Cancelled' }
  switch (reason) {
    case 'exited':
      if (signal !== null) return { status: 'failed', error: `Ended by ${signal}` }
      if (exitCode === 0) return { status: 'succeeded', error: null }
      return { status: 'failed', error: message ?? `Exited with code ${exitCode ?? 'unknown'}` }
    case 'turn_completed':
      return { status: 'succeeded', error: null }
    case 'turn_failed':
      return { status: 'failed', error: message ?? 'The agent could not do it' }
    case 'turn_interrupted':
      return { status: 'cancelled', error: message ?? 'Interrupted' }
    case 'budget':
      return { status: 'failed', error: message ?? 'What it may spend is spent' }
    case 'cancelled':
      return { status: 'cancelled', error: message ?? 'Cancelled' }
    case 'timed_out':
      return { status: 'timed_out', error: message ?? 'It took longer than its time-out' }
    case 'output_limit':
      return { status: 'failed', error: message ?? 'It wrote more than its output limit' }
    case 'memory_limit':
      return { status: 'failed', error: message ?? 'It used more memory than it may' }
    case 'not_started':
      return { status: 'failed', error: message ?? 'It could not be started' }
    case 'shutdown':
      return { status: 'failed', error: message ?? 'Worker shutdown' }
    case 'keeper_died':
      return { status: 'failed', error: message ?? 'Its keeper died' }
  }
}

/** The depth of an execution that another one, or nobody, has spawned. */
export function depthBelowExecution(parent: { depth: number } | null): number {
  const depth = parent ? parent.depth + 1 : 0
  if (depth > deepestSpawn)
    throw new Problem(
      'spawn_too_deep',
      `Executions can spawn one another ${deepestSpawn} deep, and this would be deeper`,
      { limit: deepestSpawn },
    )
  return depth
}

/** Dangerous things need a yes of their own: given with the request, by a person, or else it is asked for. */
export const needsApproval = (by: Principal, dangerLevel: number, confirm: boolean): boolean =>
  isDangerous(dangerLevel) && !(confirm && isPerson(by))

/** From this level on a person's yes is needed. */
export const leastDanger = 2
export const isDangerous = (dangerLevel: number): boolean => dangerLevel >= leastDanger

const queues: Record<AgentKind, 'tool' | 'coding' | 'chat'> = {
  tool: 'tool',
  coding: 'coding',
  model: 'chat',
}
export const queueOf = (kind: AgentKind): 'tool' | 'coding' | 'chat' => queues[kind]

const priorities: Record<Task['priority'], number> = { low: 0, medium: 1, high: 2, critical: 3 }
export const priorityOf = (task: Pick<Task, 'priority'> | null): number =>
  priorities[task?.priority ?? 'medium']

/** What a session is called: after its task, else after what was asked, else after who was asked for what. */
export function titleOf(
  task: Pick<Task, 'title'> | null,
  prompt: string | undefined,
  agentName: string,
  capabilityKey: string,
): string {
  const asked = prompt?.trim().split(/[\r\n\u2028\u2029]/, 1)[0]
  const title = task?.title || asked?.trim() || `${agentName} · ${capabilityKey}`
  return title
    .slice(0, 200)
    .toWellFormed()
    .replace(/\ufffd$/, '')
}
