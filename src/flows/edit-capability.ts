import type { Capability, EditCapability } from '#contract/capability.ts'
import { isKeyTaken, updateCapability } from '#db/capabilities.ts'
import type { Tx } from '#db/pool.ts'
import { annotationsOf, checkAskable, checkCapability, withGiven } from '#domain/capability.ts'
import { keyTaken } from './create-capability.ts'
import { theCapability, theLockedAgent } from './find-agent.ts'

/** A new danger level brings its own annotations, apart from those that are given with it. */
export async function editCapability(
  tx: Tx,
  agentId: string,
  id: string,
  edit: EditCapability,
): Promise<Capability> {
  const agent = await theLockedAgent(tx, agentId)
  const before = await theCapability(tx, agentId, id)
  const { annotations: given = {}, ...changes } = edit
  const dangerLevel = edit.dangerLevel ?? before.dangerLevel
  const annotations =
    dangerLevel === before.dangerLevel
      ? withGiven(before.annotations, given)
      : annotationsOf(dangerLevel, given)
  const interactionMode = edit.interactionMode ?? before.interactionMode
  checkAskable(agent, { interactionMode })
  checkCapability({
    interactionMode,
    commandTokens: edit.commandTokens === undefined ? before.commandTokens : edit.commandTokens,
    promptTemplate: edit.promptTemplate === undefined ? before.promptTemplate : edit.promptTemplate,
    argsSchema: edit.argsSchema ?? before.argsSchema,
    dangerLevel,
    annotations,
  })
  if (edit.key !== undefined && edit.key !== before.key && (await isKeyTaken(tx, agentId, edit.key)))
    throw keyTaken(edit.key)
  return updateCapability(tx, id, { ...changes, annotations })
}
