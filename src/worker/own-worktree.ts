import { findCapability } from '#db/capabilities.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Lease } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { findSession, hasBegun } from '#db/sessions.ts'
import { findWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { isForkToMake, isTurn } from '#domain/turn.ts'
import { giveWorktree } from '#flows/give-worktree.ts'
import type { WorktreeWanted } from '#flows/give-worktree.ts'
import type { Workspaces } from '#workspaces/port.ts'

interface Needs {
  pool: DatabasePool
  workspaces: Pick<Workspaces, 'isRepository' | 'portsFor'>
}

interface Placed {
  row: ExecutionRow
  workspace: WorkspaceRow
}

/**
 * Where an execution runs: a session with a coding agent that begins in a repository gets a worktree of its own, and so does a
 * fork of one that has such a worktree. Commands, and sessions that were begun elsewhere, stay where they are.
 */
export async function withOwnWorktree(needs: Needs, placed: Placed, lease: Lease): Promise<Placed> {
  const wanted = await worktreeWanted(needs, placed)
  return wanted ? needs.pool.transaction((tx) => giveWorktree(tx, lease, wanted)) : placed
}

async function worktreeWanted(
  { pool: { db }, workspaces }: Needs,
  { row, workspace }: Placed,
): Promise<WorktreeWanted | undefined> {
  const capability = row.capabilityId ? await findCapability(db, row.capabilityId) : undefined
  const session = await findSession(db, row.sessionId)
  if (!capability || !isTurn(capability) || !session || workspace.driver !== 'folder') return undefined
  const isFork = isForkToMake(session)
  if (session.adoptedAt || (session.sessionRef && !isFork) || (await hasBegun(db, session.id)))
    return undefined
  const portsFor: WorktreeWanted['portsFor'] = (id, taken) => workspaces.portsFor(id, taken)
  if (workspace.parentId === null) {
    const isWanted = workspace.worktrees && (await workspaces.isRepository(workspace.root))
    return isWanted ? { session, repository: workspace, base: null, portsFor } : undefined
  }
  const repository =
    workspace.sessionId === session.id ? undefined : await findWorkspace(db, workspace.parentId)
  return isFork && repository ? { session, repository, base: workspace.branch, portsFor } : undefined
}
