import type { Logger } from '#lib/log.ts'
import { archiveFolder, listArchives, openArchive, removeArchive } from './archive.ts'
import { commitOf } from './base.ts'
import { bring } from './bring.ts'
import { commitAll } from './commit.ts'
import { changedFiles, diffOf } from './diff.ts'
import { diskBytes } from './disk.ts'
import { openDrivers } from './drivers.ts'
import type { Probes } from './drivers.ts'
import { openGit } from './git.ts'
import type { Ground } from './ground.ts'
import { canEnclose } from './inside.ts'
import { mergeBranch } from './merge.ts'
import { findOrphans, removeOrphan } from './orphans.ts'
import { placeIn, placesIn } from './places.ts'
import type { Workspaces } from './port.ts'
import { WorkspaceRefusal } from './port.ts'
import { portsFor } from './ports.ts'
import { repositoryAt } from './repository.ts'
import { oneAtATime } from './turns.ts'
import { forget, restore, snapshotOf, trash } from './trash.ts'
import { addWorktree } from './worktree.ts'

export interface WorkspacesOptions {
  home: string
  /** How each driver is really tried. One that is not named is said not to be had; `folder` works anyhow. */
  drivers: Probes
  log: Logger
  /** What is left free on the disk, whatever is brought. */
  minFreeBytes?: number
  /** The most that one workspace may begin with. */
  maxBytes?: number
  /** Whether bubblewrap is used around git and tar on what agents behind walls can write; else it is tried. */
  isEnclosed?: boolean
}

/** All that is done with the files of workspaces on this machine. Two things at once on one workspace take turns. */
export function openWorkspaces(options: WorkspacesOptions): Workspaces {
  const { home, log, minFreeBytes = 0, maxBytes = 20e9, isEnclosed } = options
  const places = placesIn(home)
  const ground: Ground = {
    places,
    log,
    minFreeBytes,
    maxBytes,
    drafts: new Set(),
    isEnclosed: () => (isEnclosed === undefined ? canEnclose() : Promise.resolve(isEnclosed)),
  }
  const inTurn = oneAtATime()
  const drivers = openDrivers(options.drivers)
  return {
    drivers: (fresh) => drivers.all(fresh),
    driver: (name, fresh) => drivers.one(name, fresh),
    placeOf: (workspaceId) => placeIn(places, workspaceId),
    bring: (workspaceId, source) => inTurn(workspaceId, () => bring(ground, workspaceId, source)),
    isRepository,
    addWorktree: (asked) => inTurn(asked.repository, () => addWorktree(ground, asked)),
    portsFor,
    diff: (root, baseRef, path) => diffOf(ground, root, baseRef, path),
    changedFiles: (root, baseRef) => changedFiles(ground, root, baseRef),
    commit: (root, message) => inTurn(root, () => commitAll(ground, root, message)),
    merge: (asked) => inTurn(asked.repository, () => mergeBranch(ground, asked)),
    archive: (asked) => archiveFolder(ground, asked),
    archives: async () => listArchives(places),
    openArchive: (name) => openArchive(places, name),
    removeArchive: async (name) => removeArchive(places, name),
    trash: (asked) => inTurn(asked.workspaceId, () => trash(ground, asked)),
    snapshotOf: (workspaceId) => snapshotOf(ground, workspaceId),
    restore: (asked) => inTurn(asked.workspaceId, () => restore(ground, asked)),
    forget: (snapshot) => inTurn(snapshot, () => forget(ground, snapshot)),
    diskBytes,
    orphans: (known) => findOrphans(ground, known),
    removeOrphan: (orphan) => removeOrphan(ground, orphan),
  }
}

async function isRepository(root: string): Promise<boolean> {
  try {
    const git = await openGit(repositoryAt(root, false), { isEnclosed: false })
    return (await commitOf(git, 'HEAD')) !== undefined
  } catch (error) {
    if (error instanceof WorkspaceRefusal) return false
    throw error
  }
}
