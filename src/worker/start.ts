import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import type { Launch } from '#contract/keeper.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import { findExecution, lockExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { LeaseLost, changeLeased, leaseOf, lockLeased, takeLease } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import type { WorkspaceRow } from '#db/workspaces.ts'
import { beginExecution } from '#flows/begin-execution.ts'
import { endExecution } from '#flows/end-execution.ts'
import { systemLine } from '#flows/system-line.ts'
import { takeExecution } from '#flows/take-execution.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { isUseless } from './keeper-client.ts'
import type { Keeper, Keepers } from './keepers.ts'
import { planLaunch } from './launch.ts'
import { withOwnWorktree } from './own-worktree.ts'
import type { Prepared, ReadyWorkspace } from './ready-workspace.ts'
import { openLines } from './session-lines.ts'
import { spoolOf } from './spool-reader.ts'

interface Needs {
  pool: DatabasePool
  log: Logger
  keepers: Keepers
  config: () => Config
  machineId: string
  workerId: string
  workspaces: Workspaces
  readyWorkspace: ReadyWorkspace
}

/** What came of a start. */
export type Start =
  /** A keeper has it. */
  | { outcome: 'started'; row: ExecutionRow; keeper: Keeper }
  /** It is over, or no longer ours. */
  | { outcome: 'settled' }
  /** Nothing ran; it may work next time. */
  | { outcome: 'failed'; reason: string }

/** Brings a queued execution to a keeper, once, however often it is tried. */
export async function startExecution(needs: Needs, id: string): Promise<Start> {
  const { pool, config, machineId, workerId } = needs
  const defaultFolder = config().allowedWorkingDirs[0] ?? config().home
  const taken = await pool.transaction((tx) => takeExecution(tx, id, { machineId, workerId, defaultFolder }))
  // Whatever is past its start is for recovery to take up.
  if (!taken || taken.row.status !== 'queued') return { outcome: 'settled' }
  const { lease } = taken
  try {
    const { row, workspace } = await withOwnWorktree(needs, taken, lease)
    const prepared = await readied(needs, lease, workspace)
    const launch = await planLaunch(pool.db, config(), row, lease, prepared)
    const keeper = await launched(needs, row, launch)
    // One that died may have begun it: whoever drives it finds out, and ends what is left.
    const begun = keeper.isAlive() ? await pool.transaction((tx) => beginExecution(tx, lease)) : row
    return { outcome: 'started', row: begun, keeper }
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: 'settled' } // cancelled in between; recovery ends what was started
    if (!(error instanceof Problem)) return { outcome: 'failed', reason: reasonOf(error) }
    await endUnstarted(pool, lease, error.message)
    return { outcome: 'settled' }
  }
}

/** The workspace with its files there. What is done for that is told in the session's log. */
async function readied(
  { pool, log, readyWorkspace }: Needs,
  lease: Lease,
  { id, state }: WorkspaceRow,
): Promise<Prepared> {
  const lines = openLines(pool, lease, log)
  try {
    const prepared = await readyWorkspace(id, (line) => lines.tell(line))
    const { root, branch, parentId } = prepared.row
    if (state !== 'ready' && parentId !== null)
      lines.tell(`Works in a worktree of its own: ${root}, on branch ${branch}`)
    return prepared
  } finally {
    await lines.written()
  }
}

/** The keeper that has launched it, or one that died and may have done so: it is never started twice. */
async function launched({ pool, keepers }: Needs, row: ExecutionRow, launch: Launch): Promise<Keeper> {
  const workspaceId = launch.workspace.id
  let asked = row.keeperId ? await keepers.find(row.keeperId) : undefined
  for (let attempt = 1; ; attempt++) {
    if (asked && !asked.isAlive() && existsSync(spoolOf(asked, row.id))) return asked
    const keeper = asked?.isAlive() ? asked : await keepers.forWorkspace(workspaceId)
    if (keeper.id !== row.keeperId)
      await pool.transaction((tx) => changeLeased(tx, leaseOf(row), { keeperId: keeper.id }))
    try {
      await keeper.client.launch(launch)
      return keeper
    } catch (error) {
      // It may be ending in this very moment, for want of work; the next one will do.
      if (attempt === 3) throw error
      keepers.forget(workspaceId)
      asked = isUseless(error) ? undefined : keeper
    }
  }
}

/** It will never start, for a reason that is told. */
export async function endUnstarted(pool: DatabasePool, lease: Lease, message: string): Promise<void> {
  await pool
    .transaction((tx) =>
      endExecution(tx, lease, { reason: 'not_started', exitCode: null, signal: null, message }),
    )
    .catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error
    })
}

/** Says in the log why it does not run yet, or lays it aside for good after the last attempt. */
export async function tellFailedStart(
  needs: Pick<Needs, 'pool' | 'machineId' | 'workerId'>,
  id: string,
  reason: string,
  isLastAttempt: boolean,
): Promise<void> {
  const { pool, machineId, workerId } = needs
  const row = await pool.transaction((tx) => takeLease(tx, id, machineId, workerId))
  if (!row) return
  if (isLastAttempt) return await endUnstarted(pool, leaseOf(row), `Could not be started: ${reason}`)
  const line = systemLine(id, `Could not be started: ${reason}. It is tried again in 30 s`)
  await pool.transaction(async (tx) => {
    await lockStream(tx, row.sessionId)
    await lockLeased(tx, leaseOf(row))
    await appendEvents(tx, row.sessionId, [line])
  })
}

/** Says in the session why it is not begun yet. */
export async function tellQueued(pool: DatabasePool, id: string, text: string): Promise<void> {
  await pool.transaction(async (tx) => {
    const asked = await findExecution(tx, id)
    if (!asked) return
    await lockStream(tx, asked.sessionId)
    const { status } = await lockExecution(tx, id)
    if (status !== 'queued') return
    await appendEvents(tx, asked.sessionId, [{ type: 'data-notice', payload: { text }, executionId: id }])
  })
}

export const reasonOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!
