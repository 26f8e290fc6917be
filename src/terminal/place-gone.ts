import type { TerminalGrant } from '#contract/internal.ts'
import type { Database } from '#db/pool.ts'
import { findSession } from '#db/sessions.ts'
import { findWorkspace } from '#db/workspaces.ts'

/** Why there is nothing to look at any more, and nothing to come back to; nothing while there is. */
export async function placeGone(
  db: Database,
  { sessionId, workspaceId }: Pick<TerminalGrant, 'sessionId' | 'workspaceId'>,
): Promise<string | undefined> {
  if (sessionId !== undefined) {
    const session = await findSession(db, sessionId)
    return session && session.trashedAt === null ? undefined : 'The session is gone, or in the trash'
  }
  const workspace = await findWorkspace(db, workspaceId ?? '')
  return workspace && workspace.state !== 'trashed' ? undefined : 'The workspace is gone, or in the trash'
}
