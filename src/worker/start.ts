import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { appendEvents } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { LeaseLost, changeLeased, leaseOf, takeLease } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { DatabasePool } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { beginExecution } from '#flows/begin-execution.ts'
import { endExecution, systemLine } from '#flows/end-execution.ts'
import { takeExecution } from '#flows/take-execution.ts'
import type { Keeper, Keepers } from './keepers.ts'
import { planLaunch } from './launch.ts'
import { readSpool } from './spool-reader.ts'

interface Needs {
  pool: DatabasePool
  log: Logger
  keepers: Keepers
  config: () => Config
  machineId: string
  workerId: string
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
  const { pool, keepers, config, machineId, workerId } = needs
  const defaultFolder = config().allowedWorkingDirs[0] ?? config().home
  const taken = await pool.transaction((tx) => takeExecution(tx, id, { machineId, workerId, defaultFolder }))
  if (!taken || !taken.row.workspaceId) return { outcome: 'settled' }
  const { row, lease, root } = taken
  try {
    const keeper = await keeperFor(keepers, row, taken.row.workspaceId)
    if (keeper === 'already ran') {
      await end(needs, lease, 'keeper_died', 'Its keeper died while it was being started')
      return { outcome: 'settled' }
    }
    const place = { workspaceId: taken.row.workspaceId, root }
    const launch = await planLaunch(pool.db, config(), row, lease, place)
    if (row.keeperId !== keeper.id)
      await pool.transaction((tx) => changeLeased(tx, lease, { keeperId: keeper.id }))
    await keeper.client.launch(launch)
    const begun = row.status === 'queued' ? await pool.transaction((tx) => beginExecution(tx, lease)) : row
    return { outcome: 'started', row: begun, keeper }
  } catch (error) {
    if (error instanceof LeaseLost) return { outcome: 'settled' } // cancelled in between; recovery ends what was started
    if (!(error instanceof Problem)) return { outcome: 'failed', reason: reasonOf(error) }
    await end(needs, lease, 'not_started', error.message)
    return { outcome: 'settled' }
  }
}

/** The keeper that was asked before, if it lives: it knows whether it has started it. */
async function keeperFor(
  keepers: Keepers,
  row: ExecutionRow,
  workspaceId: string,
): Promise<Keeper | 'already ran'> {
  const before = row.keeperId ? await keepers.find(row.keeperId) : undefined
  if (before?.isAlive()) return before
  const recorded =
    before && (await readSpool(join(before.folder, `${row.id}.ndjson`), { offset: 0, bytes: 0 }))
  if (recorded) return 'already ran'
  return keepers.forWorkspace(workspaceId)
}

async function end(
  { pool }: Needs,
  lease: Lease,
  reason: 'not_started' | 'keeper_died',
  message: string,
): Promise<void> {
  await pool
    .transaction((tx) => endExecution(tx, lease, { reason, exitCode: null, signal: null, message }))
    .catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error
    })
}

/** Says in the log why it does not run yet, or lays it aside for good after the last attempt. */
export async function tellFailedStart(
  needs: Needs,
  id: string,
  reason: string,
  isLastAttempt: boolean,
): Promise<void> {
  const { pool, machineId, workerId } = needs
  const row = await pool.transaction((tx) => takeLease(tx, id, machineId, workerId))
  if (!row) return
  if (isLastAttempt) return await end(needs, leaseOf(row), 'not_started', `Could not be started: ${reason}`)
  const line = systemLine(id, `Could not be started: ${reason}. It is tried again in 30 s`)
  await pool.transaction((tx) => appendEvents(tx, row.sessionId, [line]))
}

const reasonOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!
