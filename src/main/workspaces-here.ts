import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import type { DatabasePool } from '#db/pool.ts'
import { insideOf } from '#worker/inside.ts'
import type { Keepers } from '#worker/keepers.ts'
import { prepareWorkspace } from '#worker/prepare-workspace.ts'
import { openReadyWorkspace } from '#worker/ready-workspace.ts'
import type { Inside } from '#worker/workspace-spec.ts'
import type { VerbNeeds } from '#worker/workspace-verbs.ts'
import { WorkspaceRefusal } from '#workspaces/port.ts'
import type { Workspaces } from '#workspaces/port.ts'

interface Needs {
  pool: DatabasePool
  keepers: Keepers
  config: () => Config
  log: Logger
  machineId: string
}

/** The workspaces of this machine: their files, and what is done until one can be used. */
export function openWorkspacesHere(needs: Needs): VerbNeeds {
  const workspaces = notBuiltYet()
  const inside = (): Promise<Inside> =>
    insideOf({
      db: needs.pool.db,
      config: needs.config(),
      machineId: needs.machineId,
      env: process.env,
    })
  const parts = { ...needs, db: needs.pool.db, workspaces, inside }
  const readyWorkspace = openReadyWorkspace({
    ...parts,
    prepare: (row, tell, note) => prepareWorkspace(parts, row, tell, note),
  })
  return { ...parts, readyWorkspace }
}

function notBuiltYet(): Workspaces {
  const refuse = () => Promise.reject(new WorkspaceRefusal('workspace_failed', 'not built yet'))
  return {
    drivers: () => Promise.resolve([]),
    placeOf: (id) => ({ folder: id, root: id, homes: id }),
    bring: refuse,
    isRepository: () => Promise.resolve(false),
    addWorktree: refuse,
    portsFor: () => ({ first: 8000, count: 10 }),
    diff: refuse,
    commit: refuse,
    merge: refuse,
    archive: refuse,
    archives: () => Promise.resolve([]),
    openArchive: refuse,
    removeArchive: refuse,
    trash: refuse,
    restore: refuse,
    forget: refuse,
    diskBytes: () => Promise.resolve(0),
    orphans: () => Promise.resolve([]),
    removeOrphan: refuse,
  }
}
