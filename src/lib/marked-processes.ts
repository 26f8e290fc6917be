import { readFileSync } from 'node:fs'
import { askAllToEnd, killAll } from './process-end-all.ts'
import type { Find } from './process-end-all.ts'
import { identify } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { listPids } from './process-list.ts'

/** One search can miss what goes from process to process; so many in a row do not. */
export const looksForMarks = 8

/** The living processes that were started with the variable `mark` set to one of these values. Linux only. */
export function findMarked(mark: string, values: readonly string[]): ProcessIdentity[] {
  return [...searchMarked(mark, values)()]
}

/**
 * The same, to be called again and again for a short while: it remembers who was somebody else's, so that looking again is quick.
 * Each process is told as soon as it is found.
 */
export function searchMarked(mark: string, values: readonly string[]): Find {
  const wanted = values.map((value) => Buffer.from(`\0${mark}=${value}\0`))
  const others = new Set([process.pid])
  return function* () {
    if (process.platform !== 'linux' || wanted.length === 0) return
    for (const pid of listPids()) {
      if (others.has(pid)) continue
      const environment = environmentOf(pid)
      const isMarked = wanted.some((entry) => environment.includes(entry))
      const identity = isMarked && identify(pid)
      if (identity) yield identity
      // One that is becoming another program has no environment for a moment.
      if (!isMarked && environment.length > 2) others.add(pid)
    }
  }
}

/** Ends them all: asked first, killed after `graceMs`. False when some outlived SIGKILL. Never rejects. */
export async function endMarked(
  mark: string,
  values: readonly string[],
  { graceMs }: { graceMs: number },
): Promise<boolean> {
  const find = searchMarked(mark, values)
  return (await askAllToEnd(find, { graceMs, looks: looksForMarks })) || killAll(find, looksForMarks)
}

/** With a NUL before and after each entry. Empty when the process is gone, or another user's. */
function environmentOf(pid: number): Buffer {
  try {
    return Buffer.concat([Buffer.of(0), readFileSync(`/proc/${pid}/environ`), Buffer.of(0)])
  } catch {
    return Buffer.alloc(0)
  }
}
