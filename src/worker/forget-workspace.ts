import { existsSync } from 'node:fs'
import type { DatabasePool } from '#db/pool.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { isUsersOwn } from '#domain/workspace.ts'
import { forgetWorkspace } from '#flows/trash-workspace.ts'
import type { Workspaces } from '#workspaces/port.ts'

/** Removes for good what the trash has of it. Answers false, and touches nothing, while its files are not all there yet. */
export async function emptyFromTrash(
  { pool, workspaces }: { pool: DatabasePool; workspaces: Workspaces },
  row: WorkspaceRow,
  by: { id: string },
): Promise<boolean> {
  if (isUnfinished(row)) return false
  const snapshot = row.snapshot ?? workspaces.snapshotOf(row.id)
  if (snapshot !== null) await workspaces.forget(snapshot)
  await pool.transaction((tx) => forgetWorkspace(tx, by.id, row.id))
  return true
}

/** It is to be in the trash, and its files are not there yet. */
const isUnfinished = (row: WorkspaceRow): boolean =>
  !isUsersOwn(row) && row.snapshot === null && row.root !== '' && existsSync(row.root)
