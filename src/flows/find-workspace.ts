import type { Principal } from '#contract/access.ts'
import type { Workspace } from '#contract/workspace.ts'
import type { Database, Tx } from '#db/pool.ts'
import { readWorkspace } from '#db/workspace-reads.ts'
import { hasRunIn, hasSessionIn } from '#db/workspaces.ts'
import { noWorkspace } from '#domain/workspace.ts'

/** The owner sees every workspace, others those of their sessions. What is not theirs does not exist for them. */
export async function visibleWorkspace(db: Database, principal: Principal, id: string): Promise<Workspace> {
  const workspace = await readWorkspace(db, id, principal.kind === 'owner' ? undefined : principal.id)
  if (workspace && (await maySeeWorkspace(db, principal, id))) return workspace
  throw noWorkspace(id)
}

/** Whether this principal may look into a workspace, and work in it. */
export async function maySeeWorkspace(db: Database | Tx, { kind, id: who, agent }: Principal, id: string) {
  if (agent) return hasRunIn(db, id, agent.sessionId)
  return kind === 'owner' || hasSessionIn(db, id, who)
}
