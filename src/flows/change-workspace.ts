import { BOARD_STREAM } from '#contract/event.ts'
import type { WorkspaceState } from '#contract/workspace.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { asWorkspaceOnBoard, lockWorkspace, updateWorkspace } from '#db/workspaces.ts'
import type { WorkspaceChanges, WorkspaceRow } from '#db/workspaces.ts'

/** Changes it and tells the board. Nothing when it is gone, or no longer in one of these states. */
export async function changeWorkspace(
  tx: Tx,
  by: string,
  id: string,
  changes: WorkspaceChanges,
  from?: readonly WorkspaceState[],
): Promise<WorkspaceRow | undefined> {
  await lockStream(tx, BOARD_STREAM)
  const before = await lockWorkspace(tx, id)
  if (!before || (from && !from.includes(before.state))) return undefined
  const row = await updateWorkspace(tx, id, changes)
  await tellWorkspace(tx, by, row)
  return row
}

export async function tellWorkspace(tx: Tx, by: string, row: WorkspaceRow): Promise<void> {
  await tellBoard(tx, boardEvent('workspace.changed', { workspace: asWorkspaceOnBoard(row), by }))
}
