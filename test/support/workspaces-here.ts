import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { DriverOnMachine } from '#contract/workspace.ts'
import { machines, workspaces as table } from '#db/schema.ts'
import { findWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { newId } from '#lib/id.ts'
import { openTurns } from '#worker/in-turn.ts'
import type { Keeper, Keepers } from '#worker/keepers.ts'
import { openReadyWorkspace } from '#worker/ready-workspace.ts'
import type { Tell } from '#worker/ready-workspace.ts'
import type { Note } from '#worker/prepare-workspace.ts'
import { openWorkspaces } from '#workspaces/open.ts'
import { freshPool } from './postgres.ts'

type Prepare = (row: WorkspaceRow, tell: Tell, note: Note) => Promise<void>

/** The workspaces of a machine of its own: a real database and real files, and no keeper that lives. */
export async function openTestWorkspaces() {
  const pool = await freshPool()
  const home = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  const work = mkdtempSync(join(tmpdir(), 'signalbox-work-'))
  onTestFinished(() => {
    for (const folder of [home, work]) rmSync(folder, { recursive: true, force: true })
  })
  const machineId = newId()
  await pool.db
    .insert(machines)
    .values({ id: machineId, name: 'here', workerId: 'here', url: 'unix:/nowhere' })
  const log = pino({ level: 'silent' })
  const sandbox: DriverOnMachine = { driver: 'sandbox', works: true, reason: null, lacks: [], version: null }
  const workspaces = openWorkspaces({ home, log, drivers: { sandbox: async () => ({ ...sandbox }) } })
  const config = () => loadConfig({ env: { SIGNALBOX_HOME: home, ALLOWED_WORKING_DIRS: work }, cwd: work })
  const living = new Map<string, Pick<Keeper, 'isAlive'>>()
  const keepers = {
    all: async () => [],
    find: async (id: string) => living.get(id),
    forget: () => undefined,
  } as unknown as Keepers
  const inside = async () => ({ modelHosts: [], forwards: [], mounts: [] })
  const turns = openTurns()
  const needs = { pool, db: pool.db, config, log, machineId, workspaces, keepers, inside, turns }

  async function insert(row: Partial<WorkspaceRow>): Promise<WorkspaceRow> {
    const [made] = await pool.db
      .insert(table)
      .values({ id: newId(), machineId, driver: 'folder', root: work, name: 'work', ...row })
      .returning()
    return made!
  }
  return {
    ...needs,
    home,
    work,
    living,
    sandbox,
    insert,
    read: async (id: string) => (await findWorkspace(pool.db, id))!,
    ready: (prepare: Prepare) => openReadyWorkspace({ ...needs, prepare }),
  }
}
