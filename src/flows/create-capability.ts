import type { Capability, CreateCapability } from '#contract/capability.ts'
import { insertCapability } from '#db/capabilities.ts'
import type { Tx } from '#db/pool.ts'
import { annotationsOf, checkAskable, checkCapability } from '#domain/capability.ts'
import { Problem } from '#domain/problem.ts'
import { newId } from '#lib/id.ts'
import { theLockedAgent } from './find-agent.ts'

export async function createCapability(
  tx: Tx,
  agentId: string,
  wanted: CreateCapability,
): Promise<Capability> {
  const annotations = annotationsOf(wanted.dangerLevel, wanted.annotations)
  checkCapability({ ...wanted, annotations })
  checkAskable(await theLockedAgent(tx, agentId), wanted)
  const capability = await insertCapability(tx, {
    ...wanted,
    id: newId(),
    agentId,
    label: wanted.label ?? wanted.key,
    annotations,
  })
  if (!capability) throw keyTaken(wanted.key)
  return capability
}

export const keyTaken = (key: string): Problem =>
  new Problem('capability_key_taken', `The agent already has a capability with the key ${key}`)
