import type { Agent } from '#contract/agent.ts'
import type { CreateCapability } from '#contract/capability.ts'
import { agentsOfProgram, insertAgent } from '#db/agents.ts'
import { insertCapabilities } from '#db/capabilities.ts'
import { lockDiscovered, updateDiscovered } from '#db/discovered.ts'
import type { DiscoveredRow } from '#db/discovered.ts'
import type { Tx } from '#db/pool.ts'
import { agentName, isAgentOf } from '#domain/found.ts'
import type { NewAgent } from '#domain/agent.ts'
import { annotationsOf } from '#domain/capability.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { theAgent } from './find-agent.ts'
import { checkAllThere } from './find-found.ts'

/** What a program is to become: its machine has allowed its path, and its capabilities have been checked. */
export interface Becoming {
  agent: NewAgent & { machineId: string }
  capabilities: readonly CreateCapability[]
}

/** Nothing for one that was an agent already when it was looked at. */
export interface Confirmed {
  id: string
  becoming: Becoming | undefined
}

/**
 * Makes agents of programs, all or none. One that is an agent already stays that one, and one that somebody has registered by
 * hand is taken as it is. Answers with the agents in the order of `wanted`.
 */
export async function confirmFound(
  tx: Tx,
  machineName: string,
  wanted: readonly Confirmed[],
): Promise<Agent[]> {
  const ids = wanted.map(({ id }) => id)
  const rows = await lockDiscovered(tx, ids)
  checkAllThere(ids, rows)
  const byId = new Map(rows.map((row) => [row.id, row]))
  const agents: Agent[] = []
  for (const one of wanted) agents.push(await becomeAgent(tx, byId.get(one.id)!, one, machineName))
  return agents
}

async function becomeAgent(
  tx: Tx,
  row: DiscoveredRow,
  { becoming }: Confirmed,
  machineName: string,
): Promise<Agent> {
  if (row.agentId !== null) return theAgent(tx, row.agentId)
  if (!becoming)
    throw new Problem('agent_changed', `The agent of ${row.path} was deleted meanwhile: try again`, {
      id: row.id,
    })
  const known = (await agentsOfProgram(tx, row.machineId, row.path)).find((agent) => isAgentOf(agent, row))
  const agent = known ?? (await makeAgent(tx, becoming.agent, machineName))
  if (!known) await giveCapabilities(tx, agent.id, becoming.capabilities)
  await updateDiscovered(tx, [row.id], { agentId: agent.id, isHidden: false })
  return agent
}

async function makeAgent(tx: Tx, wanted: Becoming['agent'], machineName: string): Promise<Agent> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const name = agentName(wanted.name, machineName, attempt)
    const agent = await insertAgent(tx, { ...wanted, name, id: newId() })
    if (agent) return agent
  }
  throw new Problem('agent_name_taken', `There are already a hundred agents named like ${wanted.name}`)
}

/** As they are; whoever calls has checked them. */
export async function giveCapabilities(
  tx: Tx,
  agentId: string,
  capabilities: readonly CreateCapability[],
): Promise<void> {
  await insertCapabilities(
    tx,
    capabilities.map((wanted) => ({
      ...wanted,
      id: newId(),
      agentId,
      label: wanted.label ?? wanted.key,
      annotations: annotationsOf(wanted.dangerLevel, wanted.annotations),
    })),
  )
}
