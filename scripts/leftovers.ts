import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { endProcess } from '#lib/process-end.ts'
import { identify } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import { commandLineOf } from '#lib/process-list.ts'

export interface Leftover extends ProcessIdentity {
  command: string
}

/**
 * What was started by a suite and still lives. A suite has a folder of its own for temporary files, and its path is the
 * mark: in the environment that is passed on, in the arguments, or, as with Postgres, which gets an empty environment,
 * in the folder that the process works in. Only Linux tells these; elsewhere nothing is found.
 */
export function findLeftovers(folder: string): Leftover[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').map(Number).filter(Number.isSafeInteger)
  return pids.flatMap((pid) => {
    if (pid === process.pid || !traces(pid).some((trace) => trace.includes(folder))) return []
    const identity = identify(pid)
    return identity ? [{ ...identity, command: commandLineOf(pid) }] : []
  })
}

function traces(pid: number): string[] {
  const read = (look: () => string) => {
    try {
      return look()
    } catch {
      return '' // gone by now, or another user's
    }
  }
  return [
    read(() => readFileSync(`/proc/${pid}/environ`, 'utf8')),
    read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
    read(() => readlinkSync(`/proc/${pid}/cwd`)),
  ]
}

/** Waits for those that are about to end; answers with the others. */
export async function untilAlone(folder: string, patienceMs: number): Promise<Leftover[]> {
  const end = Date.now() + patienceMs
  for (;;) {
    const left = findLeftovers(folder)
    if (left.length === 0 || Date.now() > end) return left
    await wait(50)
  }
}

/** Ends them all, also those that are started meanwhile by something that restarts what dies. */
export async function endLeftovers(folder: string): Promise<void> {
  const steps = [
    { signal: 'SIGTERM', patienceMs: 5_000 },
    { signal: 'SIGKILL', patienceMs: 2_000 },
  ] as const
  for (let round = 0; round < 3; round += 1) {
    const left = findLeftovers(folder)
    await Promise.all(left.map((leftover) => endProcess(leftover, steps.slice(round === 0 ? 0 : 1))))
  }
}
