import { basename, dirname } from 'node:path'
import { diskBytes } from './disk.ts'
import type { Ground } from './ground.ts'
import { foldersIn, removeTree } from './ground.ts'
import type { Orphan } from './port.ts'
import { WorkspaceRefusal } from './port.ts'
import { dropRecord, recordOf } from './worktree-record.ts'
import { forget } from './trash.ts'

interface Known {
  workspaceIds: readonly string[]
  snapshots: readonly string[]
}

/** What lies in our folders and belongs to nobody. What is in doubt is somebody's. */
export async function findOrphans(ground: Ground, known: Known): Promise<Orphan[]> {
  const { places, drafts } = ground
  const ids = new Set(known.workspaceIds)
  // A snapshot is named by its workspace, which may be on its way into the trash just now.
  const snapshots = new Set([...known.snapshots, ...known.workspaceIds])
  const isNobodys = (root: string) => {
    const record = recordOf(places, root)
    return !record || !ids.has(record.workspaceId)
  }
  const found: Omit<Orphan, 'bytes'>[] = [
    ...foldersIn(places.workspaces)
      .filter((path) => !ids.has(basename(path)))
      .map((path) => ({ kind: 'workspace' as const, path })),
    ...foldersIn(places.drafts)
      .filter((path) => !drafts.has(basename(path)))
      .map((path) => ({ kind: 'workspace' as const, path })),
    ...foldersIn(places.worktrees)
      .flatMap(foldersIn)
      .filter(isNobodys)
      .map((path) => ({ kind: 'worktree' as const, path })),
    ...foldersIn(places.trash)
      .filter((path) => !snapshots.has(basename(path)))
      .map((path) => ({ kind: 'snapshot' as const, path })),
  ]
  return Promise.all(
    found.map(async (orphan) => ({ ...orphan, bytes: await diskBytes(orphan.path).catch(() => 0) })),
  )
}

export async function removeOrphan(ground: Ground, { kind, path }: Orphan): Promise<void> {
  const { places, drafts } = ground
  const folder = dirname(path)
  if (kind === 'snapshot' && folder === places.trash) return forget(ground, basename(path))
  const isOurs =
    kind === 'worktree'
      ? dirname(folder) === places.worktrees
      : folder === places.workspaces || (folder === places.drafts && !drafts.has(basename(path)))
  if (!isOurs || path.includes('/../'))
    throw new WorkspaceRefusal('does_not_fit', `${path} is not one of ours.`)
  const record = kind === 'worktree' ? recordOf(places, path) : undefined
  await removeTree(path)
  if (record?.gitDir && basename(dirname(record.gitDir)) === 'worktrees') await removeTree(record.gitDir)
  if (record) dropRecord(places, path)
}
