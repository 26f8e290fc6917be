import type { Principal } from '#contract/access.ts'
import type { Agent } from '#contract/agent.ts'
import type { OpenSession } from '#contract/session.ts'
import { lockAgent } from '#db/agents.ts'
import type { Tx } from '#db/pool.ts'
import { insertSession } from '#db/sessions.ts'
import { checkMayTalkTo } from '#domain/access.ts'
import { Problem, bodyMisfit } from '#domain/problem.ts'
import { checkChoice, checkMayChoose } from '#domain/session.ts'
import { newId } from '#lib/id.ts'
import { theWorkspaceFor } from './find-session.ts'

/** Opens a session in which nothing runs yet. Answers with its id. */
export async function openSession(tx: Tx, by: Principal, wanted: OpenSession): Promise<string> {
  const agent = await thePlacedAgent(tx, wanted.agentId)
  checkMayTalkTo(by, agent)
  if (wanted.workspaceId !== undefined) checkMayTalkTo(by, undefined)
  checkChoice('model', wanted.model, {}, agent)
  checkChoice('mode', wanted.mode, {}, agent)
  checkMayChoose(by, wanted.mode, agent)
  const id = newId()
  await insertSession(tx, {
    id,
    title: wanted.title ?? agent.name,
    agentId: agent.id,
    workspaceId: await theWorkspaceFor(tx, by, agent, wanted.workspaceId, undefined),
    createdBy: by.id,
    model: wanted.model ?? null,
    mode: wanted.mode ?? null,
  })
  return id
}

/** An agent that a body names, locked, if it can be talked to at all. */
export async function thePlacedAgent(tx: Tx, id: string): Promise<Agent & { machineId: string }> {
  const agent = await lockAgent(tx, id)
  if (!agent) throw bodyMisfit('agentId', `there is no agent ${id}`)
  if (!agent.active) throw new Problem('agent_inactive', `${agent.name} is not active`)
  const { machineId } = agent
  if (machineId === null)
    throw new Problem('machine_unavailable', `${agent.name} has no machine yet: edit it first`)
  return { ...agent, machineId }
}
