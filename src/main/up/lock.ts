import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Identity } from '#contract/up.ts'
import { writeDurably } from '#lib/durable-file.ts'
import { hasCode } from '#lib/error-code.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'

export type Lock = { taken: true } | { taken: false; holder: ProcessIdentity }

/**
 * Takes the home for this process, until it ends, however it ends. There is nothing to release.
 *
 * Locks are numbered files, up.lock.N, and the highest is never removed: whoever finds its holder dead makes N + 1,
 * which only one can. Taking over by removing the dead one's file would let two win: the slower would remove the lock
 * of the faster.
 */
export function takeLock(home: string): Lock {
  const self = identify(process.pid)
  if (!self) throw new Error('This process cannot be told from others: /proc is missing')
  const mine = join(home, `up.lock.new-${randomUUID()}`)
  writeDurably(mine, JSON.stringify(self))
  try {
    for (;;) {
      const highest = highestLock(home)
      const holder = highest > 0 ? readHolder(home, highest) : undefined
      if (holder && isAlive(holder)) return { taken: false, holder }
      if (!makeLock(mine, home, highest + 1)) continue
      // Slow in between, we may have made a number that others have passed and removed.
      if (highestLock(home) > highest + 1) continue
      removeBelow(home, highest + 1)
      return { taken: true }
    }
  } finally {
    rmSync(mine, { force: true })
  }
}

const fileOf = (home: string, number: number) => join(home, `up.lock.${number}`)

const lockNumbers = (home: string) =>
  readdirSync(home).flatMap((name) => /^up\.lock\.(\d+)$/.exec(name)?.slice(1).map(Number) ?? [])

const highestLock = (home: string) => Math.max(0, ...lockNumbers(home))

function readHolder(home: string, number: number): ProcessIdentity | undefined {
  try {
    return Identity.parse(JSON.parse(readFileSync(fileOf(home, number), 'utf8')))
  } catch {
    return undefined
  }
}

/** Appears whole or not at all, and only if there is none. */
function makeLock(whole: string, home: string, number: number): boolean {
  try {
    linkSync(whole, fileOf(home, number))
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function removeBelow(home: string, number: number): void {
  for (const lower of lockNumbers(home)) if (lower < number) rmSync(fileOf(home, lower), { force: true })
}
