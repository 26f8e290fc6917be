import type { DriverOnMachine, WorkspaceDriver } from '#contract/workspace.ts'
import { messageOf } from './run.ts'

export type Probes = Partial<Record<WorkspaceDriver, () => Promise<DriverOnMachine>>>

const keptMs = 60_000

/** Tries the drivers, and remembers for a minute what came of it. */
export function openDrivers(probes: Probes): (fresh?: boolean) => Promise<DriverOnMachine[]> {
  let tried: { at: number; drivers: Promise<DriverOnMachine[]> } | undefined
  return (fresh = false) => {
    if (!tried || fresh || Date.now() - tried.at > keptMs)
      tried = { at: Date.now(), drivers: Promise.all(names.map((driver) => tryOne(driver, probes[driver]))) }
    return tried.drivers
  }
}

const names = ['folder', 'sandbox', 'docker'] as const satisfies WorkspaceDriver[]

async function tryOne(
  driver: WorkspaceDriver,
  probe: (() => Promise<DriverOnMachine>) | undefined,
): Promise<DriverOnMachine> {
  const said = { driver, works: false, lacks: [], version: null }
  if (driver === 'folder' && !probe) return { ...said, works: true, reason: null }
  if (!probe) return { ...said, reason: 'It is not part of this installation.' }
  try {
    return await probe()
  } catch (error) {
    return { ...said, reason: `It could not be tried: ${messageOf(error)}` }
  }
}
