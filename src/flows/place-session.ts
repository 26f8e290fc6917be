import type { Tx } from '#db/pool.ts'
import { findSession, latestExecutionIn, updateSession } from '#db/sessions.ts'
import { folderWorkspace } from '#db/workspaces.ts'
import { lockStream } from '#db/events.ts'
import { Problem } from '#domain/problem.ts'
import type { Taker } from './take-execution.ts'

/** Where a session is: what it was given, else where it last ran, else where all are that nobody gave a place. Then it stays. */
export async function placeSession(
  tx: Tx,
  sessionId: string,
  { machineId, defaultFolder }: Pick<Taker, 'machineId' | 'defaultFolder'>,
): Promise<string> {
  await lockStream(tx, sessionId)
  const session = await findSession(tx, sessionId)
  if (!session) throw new Problem('session_not_found', `No session ${sessionId}`)
  if (session.workspaceId) return session.workspaceId
  const ran = (await latestExecutionIn(tx, sessionId))?.workspaceId
  const workspaceId = ran || (await folderWorkspace(tx, machineId, defaultFolder)).id
  await updateSession(tx, sessionId, { workspaceId })
  return workspaceId
}
