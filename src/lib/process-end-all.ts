import { setTimeout as wait } from 'node:timers/promises'
import { signalProcess } from './process-end.ts'
import type { ProcessIdentity } from './process-identity.ts'

const pollMs = 20
/** What SIGKILL does not end within this time hangs in the system itself. */
const killPatienceMs = 10_000

/**
 * Asks everything that `find` finds to end, kills after `graceMs` what is left, and goes on until a search finds nothing.
 * False when something outlived that. Never rejects.
 */
export async function endAll(
  find: () => ProcessIdentity[],
  { graceMs }: { graceMs: number },
): Promise<boolean> {
  const asked = new Set<string>()
  const grace = Date.now() + graceMs
  let left = find()
  while (left.length > 0 && Date.now() < grace) {
    for (const one of left) {
      const name = `${one.pid} ${one.startTime}`
      if (!asked.has(name)) signalProcess(one, 'SIGTERM')
      asked.add(name)
    }
    await wait(pollMs)
    left = find()
  }
  const end = Date.now() + killPatienceMs
  while (left.length > 0) {
    if (Date.now() > end) return false
    // Stopped first, all of them, so that none forks while the others are killed.
    for (const one of left) signalProcess(one, 'SIGSTOP')
    for (const one of left) signalProcess(one, 'SIGKILL')
    await wait(1)
    left = find()
  }
  return true
}
