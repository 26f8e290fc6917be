import type { WorkspaceDriver, WorkspaceState } from '#contract/workspace.ts'
import { Problem } from './problem.ts'

interface Named {
  id: string
  name: string
  state: WorkspaceState
}

/** Throws when nothing can be done in it until somebody restores it. */
export function checkUsable({ id, name, state }: Named): void {
  if (state === 'trashed')
    throw new Problem('workspace_trashed', `The workspace ${name} is in the trash: restore it first`, {
      workspaceId: id,
    })
}

/** Throws unless its files are there. */
export function checkReady(workspace: Named): void {
  checkUsable(workspace)
  if (workspace.state !== 'ready')
    throw new Problem(
      'workspace_not_ready',
      `The workspace ${workspace.name} is not ready yet: its state is ${workspace.state}`,
      { workspaceId: workspace.id, state: workspace.state },
    )
}

/** Throws while something is under way in it. */
export function checkNotBusy(
  { id, name }: Named,
  busy: { executionId?: string; sessionId: string } | undefined,
): void {
  if (!busy) return
  const what = busy.executionId
    ? `execution ${busy.executionId} is under way in it: wait for it, or cancel it`
    : `somebody has taken over session ${busy.sessionId}, which works in it: hand it back first`
  throw new Problem('workspace_in_use', `The workspace ${name} is in use: ${what}`, {
    workspaceId: id,
    ...busy,
  })
}

export const noWorkspace = (id: string): Problem => new Problem('workspace_not_found', `No workspace ${id}`)

/** What everybody may read. A worktree has the title of its session, which is for those who see that. */
export const nameOnBoard = (workspace: { id: string; name: string; parentId: string | null }): string =>
  workspace.parentId === null ? workspace.name : `worktree ${workspace.id.slice(-8)}`

/** A folder of the user's own, in which nothing is ours to remove. */
export const isUsersOwn = (workspace: { driver: WorkspaceDriver; parentId: string | null }): boolean =>
  workspace.driver === 'folder' && workspace.parentId === null
