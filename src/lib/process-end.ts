import { setTimeout as wait } from 'node:timers/promises'
import { isAlive } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'

const pollMs = 20

/** Resolves with true once the process is gone, with false when it is still there after `patienceMs`. */
export async function isGoneWithin(identity: ProcessIdentity, patienceMs: number): Promise<boolean> {
  const end = Date.now() + patienceMs
  while (isAlive(identity)) {
    if (Date.now() >= end) return false
    await wait(pollMs)
  }
  return true
}

/** The group of a leader that has just ended: what it began and never let go of. */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // nobody is left in it
  }
}

interface Step {
  signal: NodeJS.Signals
  patienceMs: number
}

/** Asks ever more firmly, until the process is gone. Resolves with whether it is; never rejects. */
export async function endProcess(
  identity: ProcessIdentity,
  steps: readonly Step[],
  options: { group?: boolean } = {},
): Promise<boolean> {
  for (const { signal, patienceMs } of steps) {
    signalProcess(identity, signal, options)
    if (await isGoneWithin(identity, patienceMs)) return true
  }
  return !isAlive(identity)
}

/** Never reaches another process that was given the same pid later. */
export function signalProcess(
  identity: ProcessIdentity,
  signal: NodeJS.Signals,
  { group = false }: { group?: boolean } = {},
): void {
  if (!isAlive(identity)) return
  try {
    process.kill(group ? -identity.pid : identity.pid, signal)
  } catch {
    // it ended by itself in between
  }
}
