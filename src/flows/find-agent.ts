import type { Agent } from '#contract/agent.ts'
import type { Capability } from '#contract/capability.ts'
import { findAgent, lockAgent } from '#db/agents.ts'
import { findCapability } from '#db/capabilities.ts'
import type { Database, Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'

const noAgent = (id: string) => new Problem('agent_not_found', `No agent ${id}`)

export async function theAgent(db: Database | Tx, id: string): Promise<Agent> {
  const agent = await findAgent(db, id)
  if (!agent) throw noAgent(id)
  return agent
}

/** Whoever changes an agent or one of its capabilities comes one after the other. */
export async function theLockedAgent(tx: Tx, id: string): Promise<Agent> {
  const agent = await lockAgent(tx, id)
  if (!agent) throw noAgent(id)
  return agent
}

export async function theCapability(db: Database | Tx, agentId: string, id: string): Promise<Capability> {
  const capability = await findCapability(db, id)
  if (capability?.agentId !== agentId)
    throw new Problem('capability_not_found', `The agent has no capability ${id}`)
  return capability
}
