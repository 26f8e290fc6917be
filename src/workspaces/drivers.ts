import { setTimeout as wait } from 'node:timers/promises'
import type { DriverOnMachine, WorkspaceDriver } from '#contract/workspace.ts'
import { messageOf } from './run.ts'

export type Probes = Partial<Record<WorkspaceDriver, () => Promise<DriverOnMachine>>>

export interface Drivers {
  all(fresh?: boolean): Promise<DriverOnMachine[]>
  one(driver: WorkspaceDriver, fresh?: boolean): Promise<DriverOnMachine>
}

const keptMs = 60_000
/** Whoever waits for an answer about all drivers has more patience than this. */
const usualLimitMs = 20_000

/** Tries the drivers, each by itself so that none waits for another, and remembers for a minute what came of it. */
export function openDrivers(probes: Probes, limitMs = usualLimitMs): Drivers {
  const tried = new Map<WorkspaceDriver, { at: number; found: Promise<DriverOnMachine> }>()
  const one = (driver: WorkspaceDriver, fresh = false) => {
    const known = tried.get(driver)
    if (known && !fresh && Date.now() - known.at <= keptMs) return known.found
    const found = tryOne(driver, probes[driver], limitMs)
    tried.set(driver, { at: Date.now(), found })
    return found
  }
  return { one, all: (fresh) => Promise.all(names.map((driver) => one(driver, fresh))) }
}

const names = ['folder', 'sandbox', 'docker'] as const satisfies WorkspaceDriver[]

async function tryOne(
  driver: WorkspaceDriver,
  probe: (() => Promise<DriverOnMachine>) | undefined,
  limitMs: number,
): Promise<DriverOnMachine> {
  const said = { driver, works: false, lacks: [], version: null }
  if (driver === 'folder' && !probe) return { ...said, works: true, reason: null }
  if (!probe) return { ...said, reason: 'It is not part of this installation.' }
  const done = new AbortController()
  const late = wait(limitMs, undefined, { signal: done.signal, ref: false }).then(() => ({
    ...said,
    reason: `It was tried, and nothing had come of it after ${limitMs / 1000} s.`,
  }))
  late.catch(() => undefined)
  try {
    return await Promise.race([probe(), late])
  } catch (error) {
    return { ...said, reason: `It could not be tried: ${messageOf(error)}` }
  } finally {
    done.abort()
  }
}
