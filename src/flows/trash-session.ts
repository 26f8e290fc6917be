import type { Principal } from '#contract/access.ts'
import { findAgent } from '#db/agents.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { liveExecutionIn, updateSession } from '#db/sessions.ts'
import { checkMayTalkTo } from '#domain/access.ts'
import { checkAtRest } from '#domain/session.ts'
import { theOwnSession } from './find-session.ts'

/** Out of sight, with everything in it; nothing can begin in it until it is restored. Twice is once. */
export async function trashSession(tx: Tx, by: Principal, id: string): Promise<void> {
  await lockStream(tx, id)
  const { trashedAt, takenOverAt, agentId } = await theOwnSession(tx, by, id)
  await checkMayPutAway(tx, by, agentId)
  if (trashedAt) return
  checkAtRest(await liveExecutionIn(tx, id), takenOverAt)
  await updateSession(tx, id, { trashedAt: new Date() })
  await appendEvents(tx, id, [{ type: 'data-trashed', payload: { by: by.id } }])
}

export async function restoreSession(tx: Tx, by: Principal, id: string): Promise<void> {
  await lockStream(tx, id)
  const { trashedAt, agentId } = await theOwnSession(tx, by, id)
  await checkMayPutAway(tx, by, agentId)
  if (!trashedAt) return
  await updateSession(tx, id, { trashedAt: null })
  await appendEvents(tx, id, [{ type: 'data-restored', payload: { by: by.id } }])
}

const checkMayPutAway = async (tx: Tx, by: Principal, agentId: string | null): Promise<void> =>
  checkMayTalkTo(by, agentId ? await findAgent(tx, agentId) : undefined)
