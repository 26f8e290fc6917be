import { setTimeout as wait } from 'node:timers/promises'
import { signalProcess } from './process-end.ts'
import type { ProcessIdentity } from './process-identity.ts'

/** Best one by one, so that each can be stopped as soon as it is found. */
export type Find = () => Iterable<ProcessIdentity>

const pollMs = 20
/** What SIGKILL does not end within this time hangs in the system itself. */
export const killPatienceMs = 10_000

/**
 * Asks everything that `find` finds to end, once each. Resolves with whether it found nothing for so many `looks` in a row
 * within `graceMs`. Never rejects.
 */
export async function askAllToEnd(
  find: Find,
  { graceMs, looks }: { graceMs: number; looks: number },
): Promise<boolean> {
  const asked = new Set<string>()
  const end = Date.now() + graceMs
  for (let missed = 0; Date.now() < end;) {
    missed += 1
    const found: ProcessIdentity[] = []
    for (const one of find()) {
      missed = 0
      const name = `${one.pid} ${one.startTime}`
      if (asked.has(name)) continue
      asked.add(name)
      signalProcess(one, 'SIGSTOP')
      found.push(one)
    }
    // They stand still until all have been asked: a shell whose command ends before it would go on to the next.
    for (const signal of ['SIGTERM', 'SIGCONT'] as const) for (const one of found) signalProcess(one, signal)
    if (missed === looks) return true
    await wait(missed === 0 ? pollMs : 1)
  }
  return false
}

/** Kills everything that `find` finds until it finds nothing for so many `looks` in a row. False when something outlived that. */
export async function killAll(find: Find, looks: number): Promise<boolean> {
  const end = Date.now() + killPatienceMs
  for (let missed = 0; Date.now() < end;) {
    const stopped: ProcessIdentity[] = []
    // Stopped first, all of them, so that none starts others anew while these are killed.
    for (const one of find()) {
      signalProcess(one, 'SIGSTOP')
      stopped.push(one)
    }
    for (const one of stopped) signalProcess(one, 'SIGKILL')
    missed = stopped.length > 0 ? 0 : missed + 1
    if (missed === looks) return true
    await wait(1)
  }
  return false
}
