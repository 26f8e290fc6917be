import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { CreateWorkspace } from '#contract/workspace.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { DatabasePool } from '#db/pool.ts'
import { configureWorkspace } from '#flows/configure-workspace.ts'
import { newId } from '#lib/id.ts'
import type { Workspaces } from '#workspaces/port.ts'
import { checkPlaces } from './check-workspace.ts'

interface Needs {
  pool: DatabasePool
  workspaces: Workspaces
  config: () => Config
  log: Logger
  machineId: string
}

/** Makes workspaces of what the configuration calls so. One that cannot be is said, and the others are made. */
export async function registerConfigured(needs: Needs): Promise<void> {
  for (const [name, written] of Object.entries(needs.config().workspaces))
    await register(needs, name, written).catch((error: unknown) => {
      if (isDatabaseAway(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      needs.log.warn({ workspace: name, reason }, 'a workspace of the configuration cannot be made')
    })
}

async function register(
  needs: Needs,
  name: string,
  { source, ...written }: Config['workspaces'][string],
): Promise<void> {
  const wanted = CreateWorkspace.safeParse({ ...written, name, ...(source && { source: defined(source) }) })
  if (!wanted.success)
    throw new Error(
      wanted.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '),
    )
  const { driver, root = null, source: from = null } = wanted.data
  const id = newId()
  const { root: real } = await checkPlaces(needs, { id, driver, root, source: from })
  const { machineId } = needs
  const { app, worktrees, logins } = wanted.data
  const more = {
    ...(written.app && { app }),
    ...(written.worktrees !== undefined && { worktrees }),
    ...(written.logins && { logins }),
  }
  await needs.pool.transaction((tx) =>
    configureWorkspace(tx, { id, machineId, name, root: real }, wanted.data, more),
  )
}

const defined = (source: object): object =>
  Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined))
