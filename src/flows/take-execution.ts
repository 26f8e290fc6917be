import type { ExecutionRow } from '#db/executions.ts'
import { changeLeased, leaseOf, takeLease } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { findWorkspace, folderWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'

/** Who takes it, and where it runs when nobody said so. */
export interface Taker {
  machineId: string
  workerId: string
  defaultFolder: string
}

/** Takes the lease of a live execution, and sees to it that it has a workspace. Nothing when it has ended meanwhile. */
export async function takeExecution(
  tx: Tx,
  id: string,
  taker: Taker,
): Promise<{ row: ExecutionRow; lease: Lease; workspace: WorkspaceRow } | undefined> {
  const taken = await takeLease(tx, id, taker.machineId, taker.workerId)
  if (!taken) return undefined
  const lease = leaseOf(taken)
  const workspace =
    (taken.workspaceId && (await findWorkspace(tx, taken.workspaceId))) ||
    (await folderWorkspace(tx, taker.machineId, taker.defaultFolder))
  const row = taken.workspaceId ? taken : await changeLeased(tx, lease, { workspaceId: workspace.id })
  return { row, lease, workspace }
}
