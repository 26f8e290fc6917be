import { setTimeout as wait } from 'node:timers/promises'
import { signalProcess } from './process-end.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** Best one by one, so that what hops from process to process is caught in the one in which it was found. */
export type Find = () => Iterable<ProcessIdentity>

const pollMs = 20
/** What SIGKILL does not end within this time hangs in the system itself. */
export const killPatienceMs = 10_000

/** Asks everything that `find` finds to end, once each. Resolves with whether nothing is left within `graceMs`. */
export async function askAllToEnd(find: Find, graceMs: number): Promise<boolean> {
  const asked = new Set<string>()
  const end = Date.now() + graceMs
  while (Date.now() < end) {
    let isAnyLeft = false
    for (const one of find()) {
      isAnyLeft = true
      const name = `${one.pid} ${one.startTime}`
      if (!asked.has(name)) signalProcess(one, 'SIGTERM')
      asked.add(name)
    }
    if (!isAnyLeft) return true
    await wait(pollMs)
  }
  return false
}

/** Kills everything that `find` finds until it finds nothing. False when something outlived that. */
export async function killAll(find: Find): Promise<boolean> {
  const end = Date.now() + killPatienceMs
  while (Date.now() < end) {
    const stopped: ProcessIdentity[] = []
    // Stopped first, all of them, so that none starts others anew while these are killed.
    for (const one of find()) {
      signalProcess(one, 'SIGSTOP')
      stopped.push(one)
    }
    if (stopped.length === 0) return true
    for (const one of stopped) signalProcess(one, 'SIGKILL')
    await wait(1)
  }
  return false
}
