import { BOARD_STREAM } from '#contract/event.ts'
import { lockStream } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { changeLeased, lockLeased } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { updateSession } from '#db/sessions.ts'
import type { SessionRow } from '#db/sessions.ts'
import { findWorktreeOf, insertWorkspace, workspacesOf } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { newId } from '#lib/id.ts'
import { tellWorkspace } from './change-workspace.ts'

export interface WorktreeWanted {
  session: SessionRow
  /** The folder with the repository. */
  repository: WorkspaceRow
  /** What it begins from; null is what the repository itself says. */
  base: string | null
  portsFor: (workspaceId: string, taken: readonly number[]) => { first: number; count: number }
}

/** Makes the row of a session's own worktree and moves the session there. Its files come when it is made ready. */
export async function giveWorktree(
  tx: Tx,
  lease: Lease,
  wanted: WorktreeWanted,
): Promise<{ row: ExecutionRow; workspace: WorkspaceRow }> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, lease.sessionId)
  await lockLeased(tx, lease)
  const workspace = (await findWorktreeOf(tx, lease.sessionId)) ?? (await insertWorktree(tx, wanted))
  await updateSession(tx, lease.sessionId, { workspaceId: workspace.id })
  return { row: await changeLeased(tx, lease, { workspaceId: workspace.id }), workspace }
}

async function insertWorktree(
  tx: Tx,
  { session, repository, base, portsFor }: WorktreeWanted,
): Promise<WorkspaceRow> {
  const id = newId()
  const taken = (await workspacesOf(tx, repository.machineId)).flatMap(({ ports }) => ports)
  const { first, count } = portsFor(id, taken)
  const row = await insertWorkspace(tx, {
    id,
    machineId: repository.machineId,
    driver: 'folder',
    root: '', // until it is there
    name: session.title.slice(0, 100),
    parentId: repository.id,
    sessionId: session.id,
    egress: repository.egress,
    ports: Array.from({ length: count }, (_, place) => first + place),
    setup: repository.setup,
    app: repository.app && { ...repository.app, port: first },
    worktrees: false,
    baseRef: base,
    state: 'new',
    createdBy: session.createdBy,
  })
  await tellWorkspace(tx, session.createdBy, row)
  return row
}
