import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool } from '#db/pool.ts'
import { noteDiskBytes, noteUse, toMeasure, trashedFor, workspacesInState } from '#db/workspace-upkeep.ts'
import { findWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { emptyFromTrash } from './forget-workspace.ts'
import type { Turns } from './in-turn.ts'
import type { Keepers } from './keepers.ts'
import { prune } from './prune.ts'
import type { ReadyWorkspace } from './ready-workspace.ts'
import { finishTrash } from './workspace-verbs.ts'

/** Containers of ours on the engine of this machine. */
export interface Containers {
  find(): Promise<{ id: string; name: string; keeperId: string }[]>
  remove(id: string): Promise<void>
}

export interface JanitorNeeds {
  pool: DatabasePool
  keepers: Keepers
  workspaces: Workspaces
  readyWorkspace: ReadyWorkspace
  containers: Containers
  config: () => Config
  log: Logger
  machineId: string
  turns: Turns
}

const day = 86_400_000
const measure = { everyMs: 3_600_000, most: 10 }
const janitor = { id: 'janitor' }

/**
 * Looks after what is left of workspaces: the trash, containers that nobody keeps, how much room there is used. Whatever cannot be
 * read or is in doubt is left alone, and said. Rejects only while the database is away.
 */
export function openJanitor(needs: JanitorNeeds): { clean(): Promise<void> } {
  const { pool, keepers, workspaces, containers, config, log, machineId } = needs
  let hasBegun = false

  /** One that goes wrong must not keep the others from it. */
  async function attempt(what: string, work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      if (isDatabaseAway(error)) throw error
      log.warn({ err: error }, `the janitor could not ${what}, and left it alone`)
    })
  }

  /** What a worker that was killed had begun. */
  async function takeUp(): Promise<void> {
    for (const { id, name } of await workspacesInState(pool.db, machineId, 'trashed'))
      await attempt(`put ${name} away`, () => finishTrash(needs, id, janitor))
    for (const { id } of await workspacesInState(pool.db, machineId, 'preparing'))
      needs.readyWorkspace(id).catch((error: unknown) => log.warn({ err: error }, 'a workspace is not ready'))
    const left = await prune(needs, { dryRun: true, by: janitor })
    if (left.items.length > 0)
      log.warn(
        { items: left.items.length, bytes: left.bytes },
        'crashes have left files behind that belong to nobody: signalbox prune --dry-run tells which',
      )
  }

  async function removeContainers(): Promise<void> {
    if (!(await workspaces.driver('docker')).works) return
    for (const { id, name, keeperId } of await containers.find()) {
      // One whose folder cannot be read counts as alive.
      if ((await keepers.find(keeperId))?.isAlive()) continue
      log.info({ container: name }, 'removing a container that nobody keeps any more')
      await attempt(`remove the container ${name}`, () => containers.remove(id))
    }
  }

  /** Unless somebody has restored it since it was looked at. */
  async function forget({ id, trashedAt }: WorkspaceRow): Promise<void> {
    const row = await findWorkspace(pool.db, id)
    if (row?.state !== 'trashed' || row.trashedAt?.getTime() !== trashedAt?.getTime()) return
    await emptyFromTrash(needs, row, janitor)
  }

  async function emptyTrash(): Promise<void> {
    for (const row of await trashedFor(pool.db, machineId, config().log.retentionDays * day)) {
      await attempt(`forget ${row.name}`, () => needs.turns.inTurn(row.id, () => forget(row)))
    }
  }

  async function noteUsed(): Promise<void> {
    const living = (await keepers.all()).filter((keeper) => keeper.isAlive())
    const since = Date.now() - 120_000
    const greetings = await Promise.all(living.map(({ client }) => client.greet().catch(() => undefined)))
    const used = greetings.filter((greeting) => (greeting?.usedAt ?? 0) > since)
    await noteUse(
      pool.db,
      machineId,
      used.flatMap((greeting) => greeting?.workspaceId ?? []),
    )
  }

  async function measureDisk(): Promise<void> {
    for (const { id, root } of await toMeasure(pool.db, machineId, measure))
      await noteDiskBytes(pool.db, id, await workspaces.diskBytes(root).catch(() => null))
  }

  return {
    async clean() {
      if (!hasBegun) await attempt('take up what was begun', takeUp)
      hasBegun = true
      await attempt('empty the trash', emptyTrash)
      await attempt('note what is used', noteUsed)
      await attempt('measure the disk', measureDisk)
      // Last: an engine that hangs must not hold up the rest.
      await attempt('remove containers', removeContainers)
    },
  }
}
