import type { Agent, CreateAgent } from '#contract/agent.ts'
import { insertAgent } from '#db/agents.ts'
import type { Tx } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'

/** `wanted` has passed its machine: its paths are the real ones. */
export async function createAgent(tx: Tx, wanted: CreateAgent & { machineId: string }): Promise<Agent> {
  const agent = await insertAgent(tx, { ...wanted, id: newId() })
  if (!agent) throw new Problem('agent_name_taken', `There is already an agent named ${wanted.name}`)
  return agent
}
