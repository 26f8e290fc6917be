import type { WorkspaceState } from '#contract/workspace.ts'
import { Problem } from './problem.ts'

/** Throws when nothing can be done in it, now or until somebody restores it. */
export function checkUsable(workspace: { id: string; name: string; state: WorkspaceState }): void {
  if (workspace.state === 'trashed')
    throw new Problem(
      'workspace_trashed',
      `The workspace ${workspace.name} is in the trash: restore it first`,
      {
        workspaceId: workspace.id,
      },
    )
}

export const noWorkspace = (id: string): Problem => new Problem('workspace_not_found', `No workspace ${id}`)
