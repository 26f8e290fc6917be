import { readFileSync } from 'node:fs'
import { endAll } from './process-end-all.ts'
import { identify } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { listPids } from './process-list.ts'

/**
 * The living processes that were started with the variable `mark` set to one of these values; each passes it on to its own
 * children, wherever they go. Only Linux tells; elsewhere none is found.
 */
export function findMarked(mark: string, values: readonly string[]): ProcessIdentity[] {
  if (process.platform !== 'linux' || values.length === 0) return []
  const wanted = values.map((value) => Buffer.from(`\0${mark}=${value}\0`))
  return listPids().flatMap((pid) => {
    if (pid === process.pid) return []
    const environment = environmentOf(pid)
    if (!wanted.some((entry) => environment.includes(entry))) return []
    return identify(pid) ?? []
  })
}

/** Ends them all. False when some outlived SIGKILL. Never rejects. */
export function endMarked(
  mark: string,
  values: readonly string[],
  { graceMs }: { graceMs: number },
): Promise<boolean> {
  return endAll(() => findMarked(mark, values), { graceMs })
}

/** With a NUL before and after each entry. Empty when the process is gone, or another user's. */
function environmentOf(pid: number): Buffer {
  try {
    return Buffer.concat([Buffer.of(0), readFileSync(`/proc/${pid}/environ`), Buffer.of(0)])
  } catch {
    return Buffer.alloc(0)
  }
}
