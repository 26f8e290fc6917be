import type { Changes } from '#contract/execution.ts'
import type { WorkspaceDiff } from '#contract/workspace.ts'
import { findExecution } from '#db/executions.ts'
import { findWorkspace } from '#db/workspaces.ts'
import { noteChanges } from '#flows/note-changes.ts'
import { filesOf } from './workspace-verbs.ts'
import type { VerbNeeds } from './workspace-verbs.ts'

type Needs = Pick<VerbNeeds, 'pool' | 'workspaces' | 'config' | 'turns' | 'log'>

/** Measures what a turn that is over has changed in its workspace. Where there is no repository, nothing is. Never rejects. */
export async function measureChanges(needs: Needs, executionId: string): Promise<void> {
  const { pool, workspaces, turns, log } = needs
  try {
    const row = await findExecution(pool.db, executionId)
    const workspace = row?.endedAt && row.workspaceId && (await findWorkspace(pool.db, row.workspaceId))
    if (!workspace || workspace.state !== 'ready') return
    const changes = await turns.inTurn(workspace.id, async () =>
      countOf(await workspaces.changedFiles(await filesOf(needs, workspace), workspace.baseRef)),
    )
    await pool.transaction((tx) => noteChanges(tx, executionId, changes))
  } catch (error) {
    log.debug({ err: error, execution: executionId }, 'what a turn has changed was not measured')
  }
}

const countOf = ({ files }: Pick<WorkspaceDiff, 'files'>): Changes => ({
  files: files.length,
  additions: files.reduce((sum, { additions }) => sum + (additions ?? 0), 0),
  deletions: files.reduce((sum, { deletions }) => sum + (deletions ?? 0), 0),
})
