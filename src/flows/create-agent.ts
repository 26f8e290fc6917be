import type { Agent } from '#contract/agent.ts'
import { insertAgent } from '#db/agents.ts'
import type { Tx } from '#db/pool.ts'
import type { NewAgent } from '#domain/agent.ts'
import { askCapability } from '#domain/presets.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { createCapability } from './create-capability.ts'

/** `wanted` has passed its machine: its paths are the real ones. One from a preset can be asked at once. */
export async function createAgent(tx: Tx, wanted: NewAgent & { machineId: string }): Promise<Agent> {
  const agent = await insertAgent(tx, { ...wanted, id: newId() })
  if (!agent) throw new Problem('agent_name_taken', `There is already an agent named ${wanted.name}`)
  if (agent.preset !== null) await createCapability(tx, agent.id, askCapability)
  return agent
}
