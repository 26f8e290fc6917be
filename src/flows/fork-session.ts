import type { Principal } from '#contract/access.ts'
import { findAgent } from '#db/agents.ts'
import { appendEvents, lastSeq, lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { insertSession, latestExecutionIn } from '#db/sessions.ts'
import { checkMayTalkTo } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { factsOfFork, forkedTitle } from '#domain/session.ts'
import { newId } from '#lib/id.ts'
import { theOwnSession } from './find-session.ts'

/** A session that goes on, from its first turn, in a copy of what the agent knows of this one. Answers with its id. */
export async function forkSession(tx: Tx, by: Principal, id: string): Promise<string> {
  await lockStream(tx, id)
  const parent = await theOwnSession(tx, by, id)
  if (!parent.agentId) throw new Problem('cannot_fork', 'The agent of this session is gone')
  const agent = await findAgent(tx, parent.agentId)
  checkMayTalkTo(by, agent)
  const isChat = agent?.adapter === 'chat'
  const hasBegun = isChat ? (await latestExecutionIn(tx, id)) !== undefined : parent.sessionRef !== null
  if (!hasBegun)
    throw new Problem('cannot_fork', 'Its agent has not begun yet, so there is nothing to go on from')
  const fork = newId()
  await insertSession(tx, {
    id: fork,
    title: forkedTitle(parent.title),
    agentId: parent.agentId,
    workspaceId: parent.workspaceId,
    taskId: parent.taskId,
    createdBy: by.id,
    model: parent.model,
    mode: parent.mode,
    facts: factsOfFork(parent.facts),
    parentSessionId: id,
  })
  // What a model knows is what the log tells. Other agents copy their own history.
  const after = isChat ? { after: (await lastSeq(tx, id)) ?? 0 } : {}
  const payload = { parentSessionId: id, by: by.id, ...after }
  await appendEvents(tx, fork, [{ type: 'data-forked', payload }])
  return fork
}
