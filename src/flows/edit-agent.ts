import type { Agent, EditAgent } from '#contract/agent.ts'
import { isAgentNameTaken, updateAgent } from '#db/agents.ts'
import { listCapabilities } from '#db/capabilities.ts'
import { countLive } from '#db/executions.ts'
import type { Tx } from '#db/pool.ts'
import { checkBuiltin, checkKind, isSamePlace, placeAfter } from '#domain/agent.ts'
import type { Place } from '#domain/agent.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { theLockedAgent } from './find-agent.ts'

/** A place that its machine has allowed, and where the agent lived when that was asked. */
export interface Move {
  from: Place
  to: Place
}

/** An edit that moves the agent comes with the move that its machine has allowed. */
export async function editAgent(tx: Tx, id: string, edit: EditAgent, move: Move | undefined): Promise<Agent> {
  const before = await theLockedAgent(tx, id)
  checkBuiltin(before, edit)
  // The machine was asked outside this transaction: what it allowed is only good for what it was asked about.
  const stands = move ? isSamePlace(before, move.from) : isSamePlace(before, placeAfter(before, edit))
  if (!stands)
    throw new Problem(
      'agent_changed',
      'Somebody else has changed the agent meanwhile: look at it, and try again',
    )
  const { kind = before.kind, adapter = before.adapter, model = before.model } = edit
  // Whoever leaves them as they are is not told of what was let pass once.
  if (edit.kind ?? edit.adapter ?? edit.model) checkKind({ kind, adapter, model })
  if (adapter === 'chat' && before.adapter !== 'chat') await checkNoCommands(tx, before)
  if (move && move.to.machineId !== before.machineId) await checkIdle(tx, before)
  if (edit.name !== undefined && edit.name !== before.name && (await isAgentNameTaken(tx, edit.name)))
    throw new Problem('agent_name_taken', `There is already an agent named ${edit.name}`)
  // The machine has just looked where it lives from now on.
  return updateAgent(tx, id, { ...edit, ...(move && { ...move.to, missingSince: null }), id })
}

/** Throws when it can be asked for what no chat could do. */
async function checkNoCommands(tx: Tx, agent: Agent): Promise<void> {
  const commands = (await listCapabilities(tx, agent.id)).filter(
    ({ interactionMode }) => interactionMode === 'template',
  )
  if (commands.length === 0) return
  const keys = commands.map(({ key }) => key).join(', ')
  throw bodyMisfit('adapter', `a chat with a model runs no commands, and ${agent.name} has ${keys}`)
}

/** Throws while there is something queued or running. */
export async function checkIdle(tx: Tx, agent: Agent): Promise<void> {
  const live = await countLive(tx, agent.id)
  if (live > 0)
    throw new Problem(
      'agent_busy',
      `${agent.name} has ${live} queued or running: wait for them, or cancel them`,
      {
        live,
      },
    )
}
