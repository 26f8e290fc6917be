import type { Logger } from 'pino'
import type { WorkspaceSpec } from '#contract/workspace.ts'
import type { DatabasePool } from '#db/pool.ts'
import { findWorkspace } from '#db/workspaces.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { Problem } from '#domain/problem.ts'
import { checkUsable, noWorkspace } from '#domain/workspace.ts'
import { changeWorkspace } from '#flows/change-workspace.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { asProblem } from './as-problem.ts'
import { checkDriver } from './check-driver.ts'
import type { Note } from './prepare-workspace.ts'
import { specOf } from './workspace-spec.ts'
import type { SpecNeeds } from './workspace-spec.ts'

export interface Prepared {
  row: WorkspaceRow
  spec: WorkspaceSpec
}

/** Hears, line by line, what is done until a workspace is ready. */
export type Tell = (line: string) => void

/**
 * A workspace of this machine with its files there and its setup done: what has to be done for that is done first, once, whoever
 * asks. Throws Problems: workspace_not_found, workspace_trashed, workspace_failed with why, driver_unavailable with what to do.
 */
export type ReadyWorkspace = (workspaceId: string, tell?: Tell) => Promise<Prepared>

interface Needs extends SpecNeeds {
  pool: DatabasePool
  log: Logger
  machineId: string
  workspaces: Workspaces
  /** Brings its files and runs its setup. */
  prepare: (row: WorkspaceRow, tell: Tell, note: Note) => Promise<void>
}

export function openReadyWorkspace(needs: Needs): ReadyWorkspace {
  const { pool, log, machineId, workspaces, prepare } = needs
  const underWay = new Map<string, Promise<WorkspaceRow>>()

  async function find(id: string): Promise<WorkspaceRow> {
    const row = await findWorkspace(pool.db, id)
    if (!row || row.machineId !== machineId) throw noWorkspace(id)
    checkUsable(row)
    return row
  }

  async function prepared(row: WorkspaceRow, tell: Tell): Promise<WorkspaceRow> {
    const change = (changes: Partial<WorkspaceRow>) =>
      pool.transaction((tx) =>
        changeWorkspace(tx, row.createdBy, row.id, changes, ['new', 'preparing', 'failed']),
      )
    await change({ state: 'preparing', error: null })
    try {
      await prepare(row, tell, async (known) => (await change(known)) ?? (await find(row.id)))
      return (await change({ state: 'ready', error: null, usedAt: new Date() })) ?? (await find(row.id))
    } catch (error) {
      const problem = asProblem(error)
      if (!problem) log.error({ err: error, workspace: row.id }, 'a workspace could not be prepared')
      const why = problem?.message ?? 'Something went wrong on the machine; its log says what'
      await change({ state: 'failed', error: why })
      throw problem ?? new Problem('workspace_failed', `The workspace could not be made ready: ${why}`)
    }
  }

  function once(row: WorkspaceRow, tell: Tell): Promise<WorkspaceRow> {
    const known = underWay.get(row.id)
    if (known) return known
    const begun = prepared(row, tell).finally(() => underWay.delete(row.id))
    underWay.set(row.id, begun)
    return begun
  }

  return async (id, tell = () => undefined) => {
    const row = await find(id)
    await checkDriver(workspaces, row.driver)
    const ready = row.state === 'ready' ? row : await once(row, tell)
    return { row: ready, spec: await specOf(needs, ready) }
  }
}
