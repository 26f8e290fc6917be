import { basename } from 'node:path'
import type { Logger } from 'pino'
import type { Pruned } from '#contract/workspace.ts'
import { noteAudit } from '#db/audit.ts'
import type { DatabasePool } from '#db/pool.ts'
import { workspacesOf } from '#db/workspaces.ts'
import type { Orphan, Workspaces } from '#workspaces/port.ts'

interface Needs {
  pool: DatabasePool
  workspaces: Workspaces
  log: Logger
  machineId: string
}

/** Tells what was left behind by crashes and belongs to nobody; and removes it, unless it is only asked for. */
export async function prune(
  needs: Needs,
  { dryRun, by }: { dryRun: boolean; by: { id: string } },
): Promise<Pruned> {
  const items: Pruned['items'] = []
  for (const orphan of await orphansHere(needs)) {
    const { kind, path, bytes } = orphan
    if (!dryRun && !(await isRemoved(needs, orphan))) continue
    items.push({
      kind,
      name: basename(path),
      bytes,
      reason: 'It belongs to no workspace: a crash left it behind',
    })
  }
  const bytes = items.reduce((sum, item) => sum + item.bytes, 0)
  if (!dryRun)
    await noteAudit(needs.pool.db, {
      kind: 'workspace',
      actor: by.id,
      subject: 'prune',
      outcome: 'ok',
      detail: { bytes, names: items.map(({ name }) => name).slice(0, 100) },
    })
  return { isDryRun: dryRun, items, bytes }
}

/**
 * Looked for twice: a workspace has a row before it has files, so what the second look takes for an orphan and was there at the
 * first one is one.
 */
async function orphansHere({ pool, workspaces, machineId }: Needs): Promise<Orphan[]> {
  const look = async () => {
    const rows = await workspacesOf(pool.db, machineId)
    return workspaces.orphans({
      workspaceIds: rows.map(({ id }) => id),
      snapshots: rows.flatMap(({ snapshot }) => snapshot ?? []),
    })
  }
  const before = new Set((await look()).map(({ path }) => path))
  return before.size === 0 ? [] : (await look()).filter(({ path }) => before.has(path))
}

async function isRemoved({ workspaces, log }: Needs, orphan: Orphan): Promise<boolean> {
  try {
    await workspaces.removeOrphan(orphan)
    return true
  } catch (error) {
    log.warn({ err: error, path: orphan.path }, 'what a crash left behind could not be removed')
    return false
  }
}
