import type { WorkspaceDriver } from '#contract/workspace.ts'
import { Problem } from '#domain/problem.ts'
import type { Workspaces } from '#workspaces/port.ts'

/** Throws when a driver cannot be used here, with the reason and what to do. There is never another one instead. */
export async function checkDriver(
  workspaces: Pick<Workspaces, 'driver'>,
  driver: WorkspaceDriver,
): Promise<void> {
  if (driver === 'folder') return
  if ((await workspaces.driver(driver)).works) return
  const found = await workspaces.driver(driver, true)
  if (found.works) return
  throw new Problem(
    'driver_unavailable',
    `The driver ${driver} cannot be used on this machine: ${found.reason ?? 'it is not there'}`,
    { driver },
  )
}
