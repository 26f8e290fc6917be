import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import { boardEvent, lockStream, tellBoard } from '#db/events.ts'
import type { Tx } from '#db/pool.ts'
import { busyIn, lockWorkspace, updateWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { Problem } from '#domain/problem.ts'
import { checkNotBusy, nameOnBoard, noWorkspace } from '#domain/workspace.ts'
import { tellWorkspace } from './change-workspace.ts'

/** From here on nothing can begin in it; its files are for the machine to put away. Answers with what it was before. */
export async function trashWorkspace(tx: Tx, by: Principal, id: string): Promise<WorkspaceRow> {
  const before = await theLocked(tx, id)
  if (before.state === 'trashed') return before
  if (before.state === 'preparing')
    throw new Problem(
      'workspace_in_use',
      `The workspace ${before.name} is being prepared: wait until it is done`,
    )
  checkNotBusy(before, await busyIn(tx, id))
  const changes = { state: 'trashed' as const, trashedAt: new Date(), error: null }
  await tellWorkspace(tx, by.id, await updateWorkspace(tx, id, changes))
  return before
}

/** Its files are back, or never went away. */
export async function restoreWorkspace(
  tx: Tx,
  by: Principal,
  id: string,
  state: 'new' | 'ready',
): Promise<void> {
  const before = await theLocked(tx, id)
  if (before.state !== 'trashed') return
  await tellWorkspace(
    tx,
    by.id,
    await updateWorkspace(tx, id, { state, trashedAt: null, snapshot: null, error: null }),
  )
}

/** Nothing of it is left but its row, for those that name it. */
export async function forgetWorkspace(tx: Tx, by: string, id: string): Promise<void> {
  const row = await theLocked(tx, id)
  if (row.state !== 'trashed' || row.forgottenAt) return
  await updateWorkspace(tx, id, { forgottenAt: new Date(), snapshot: null, diskBytes: 0 })
  await tellBoard(tx, boardEvent('workspace.forgotten', { workspaceId: id, name: nameOnBoard(row), by }))
}

async function theLocked(tx: Tx, id: string): Promise<WorkspaceRow> {
  await lockStream(tx, BOARD_STREAM)
  const row = await lockWorkspace(tx, id)
  if (!row) throw noWorkspace(id)
  return row
}
