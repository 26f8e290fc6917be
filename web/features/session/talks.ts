import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import type { KnownExecution } from './execution-list.ts'

const talking = new Set<Agent['adapter']>(['claude', 'codex', 'acp', 'chat'])

/**
 * Whether a session is a conversation; undefined while nobody knows. A command writes a log instead. Of an agent that is
 * gone only what it left can tell: those that talk have a session of their own, or have counted what they used.
 */
export function talks(
  session: Session | undefined,
  agents: readonly Agent[] | undefined,
  executions: readonly KnownExecution[] | undefined,
): boolean | undefined {
  if (!session || !agents) return undefined
  const agent = agents.find(({ id }) => id === session.agentId)
  if (agent) return talking.has(agent.adapter)
  if (session.sessionRef !== null) return true
  return executions?.some(({ usage }) => usage !== null)
}
