import type { Logger } from 'pino'
import { findContainers, removeContainer } from '#boundaries/docker/orphans.ts'
import { probeDocker } from '#boundaries/docker/probe.ts'
import { probeSandbox } from '#boundaries/sandbox/probe.ts'
import type { Config } from '#config/config.ts'
import type { Isolation } from '#contract/keeper.ts'
import type { DriverOnMachine } from '#contract/workspace.ts'
import type { DatabasePool } from '#db/pool.ts'
import { openTurns } from '#worker/in-turn.ts'
import { insideOf } from '#worker/inside.ts'
import type { Containers } from '#worker/janitor.ts'
import type { Keepers } from '#worker/keepers.ts'
import { prepareWorkspace } from '#worker/prepare-workspace.ts'
import { openReadyWorkspace } from '#worker/ready-workspace.ts'
import type { Inside } from '#worker/workspace-spec.ts'
import type { VerbNeeds } from '#worker/workspace-verbs.ts'
import { openWorkspaces } from '#workspaces/open.ts'

interface Needs {
  pool: DatabasePool
  keepers: Keepers
  config: () => Config
  log: Logger
  machineId: string
}

/** The workspaces of this machine: their files, and what is done until one can be used. */
export function openWorkspacesHere(needs: Needs): VerbNeeds & { containers: Containers } {
  const { config, log } = needs
  const workspaces = openWorkspaces({
    home: config().home,
    log,
    minFreeBytes: config().worker.minFreeDiskBytes,
    drivers: {
      folder: () => Promise.resolve(probeFolder(needs.keepers.isolation())),
      sandbox: () => probeSandbox(),
      docker: () => probeDocker(config().worker.workspaceImage),
    },
  })
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
  const containers = { find: () => findContainers(config().home), remove: removeContainer }
  return { ...parts, readyWorkspace, containers, turns: openTurns() }
}

/** There is nothing that a folder needs, but not everywhere are our own files kept from those who work in it. */
function probeFolder(isolation: Isolation | null): DriverOnMachine {
  const unmasked = {
    what: 'a mask over our own files',
    why: 'bubblewrap cannot be used here, so agents in folders can read what you can: signalbox doctor says why',
  }
  const lacks = isolation === 'process-group' ? [unmasked] : []
  return { driver: 'folder', works: true, reason: null, lacks, version: null }
}
