import { CreateAgent } from '#contract/agent.ts'
import type { Agent } from '#contract/agent.ts'
import { findBuiltinChat, insertAgent, lockBuiltinChat } from '#db/agents.ts'
import { promptCapabilitiesOf } from '#db/capabilities.ts'
import type { Tx } from '#db/pool.ts'
import { newAgent } from '#domain/agent.ts'
import { askCapability } from '#domain/presets.ts'
import { newId } from '#lib/id.ts'
import { createCapability } from './create-capability.ts'

/** With which models are talked to on a machine: found, or made when it is not there yet. What its owner has changed stays. */
export async function theChatAgent(tx: Tx, machine: { id: string; name: string }): Promise<Agent> {
  await lockBuiltinChat(tx, machine.id)
  const agent = (await findBuiltinChat(tx, machine.id)) ?? (await made(tx, machine))
  const asked = await promptCapabilitiesOf(tx, agent.id)
  if (asked.length === 0) await createCapability(tx, agent.id, askCapability)
  return agent
}

async function made(tx: Tx, machine: { id: string; name: string }): Promise<Agent> {
  for (const name of ['Chat', `Chat on ${machine.name.slice(0, 60)}`, `Chat on ${machine.id}`]) {
    const wanted = CreateAgent.parse({ name, kind: 'model', adapter: 'chat', machineId: machine.id })
    const agent = await insertAgent(tx, { ...newAgent(wanted, undefined), id: newId(), builtin: true })
    if (agent) return agent // else the name is taken
  }
  throw new Error(`There is no name left for the chat agent of the machine ${machine.id}`)
}
