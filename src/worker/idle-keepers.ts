import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { KEEPER_PROTOCOL } from '#contract/keeper-protocol.ts'
import type { Greeting } from '#contract/keeper.ts'
import type { Database } from '#db/pool.ts'
import { findWorkspace } from '#db/workspaces.ts'
import type { Keeper, Keepers } from './keepers.ts'

interface Needs {
  db: Database
  keepers: Pick<Keepers, 'isSpare' | 'forget'>
  config: () => Config
  log: Logger
}

/** One without walls is back within a moment, so it need not wait for long. */
const withoutWallsMs = 300_000

/** Ends keepers, and with them the walls they keep, that nobody has used for long enough. Files and histories stay. */
export function openIdleWatch({ db, keepers, config, log }: Needs) {
  const idleSince = new Map<string, number>()

  /** Walls, and an app that somebody may look at, stand for as long as SESSION_TTL says. */
  async function patienceFor({ workspaceId }: Greeting): Promise<number> {
    const { sessionTtlMs } = config()
    const row = workspaceId === null ? undefined : await findWorkspace(db, workspaceId)
    const isPlain = !row || (row.driver === 'folder' && row.app === null)
    return isPlain ? Math.min(withoutWallsMs, sessionTtlMs) : sessionTtlMs
  }

  return async function endIdle(keeper: Keeper, greeting: Greeting): Promise<void> {
    const { protocol, executions, agents, terminals, shells, workspaceId, usedAt } = greeting
    // Nothing new is given to one of another version, and its agents would live beside those of the next keeper.
    if (protocol !== KEEPER_PROTOCOL && executions.length + terminals.length + shells.length === 0)
      return void (await end(keeper, 'replaced', 1_000))
    if (
      executions.length + agents.length + terminals.length + shells.length > 0 ||
      keepers.isSpare(keeper.id)
    )
      return void idleSince.delete(keeper.id)
    const since = Math.max(idleSince.get(keeper.id) ?? Date.now(), usedAt ?? 0)
    idleSince.set(keeper.id, since)
    const idleMs = Date.now() - since
    if (idleMs < Math.min(withoutWallsMs, config().sessionTtlMs)) return
    if (idleMs < (await patienceFor(greeting))) return
    log.debug({ keeper: keeper.id, workspace: workspaceId }, 'ending an idle keeper')
    idleSince.delete(keeper.id)
    if ((await end(keeper, 'idle', 0)) && workspaceId) keepers.forget(workspaceId, keeper)
  }
}

/** Should somebody begin to use it in this very moment, it stays. Answers whether it has ended. */
async function end({ client }: Keeper, reason: string, graceMs: number): Promise<boolean> {
  return client.shutdown({ reason, graceMs, unlessBusy: true }).then(
    () => true,
    () => false,
  )
}
