import { readFileSync } from 'node:fs'
import { askAllToEnd, killAll } from './process-end-all.ts'
import { identify } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { listPids } from './process-list.ts'

/**
 * The living processes that were started with the variable `mark` set to one of these values; each passes it on to its own
 * children, wherever they go. Each is told as soon as it is found. Only Linux tells; elsewhere none is found.
 */
export function* findMarked(mark: string, values: readonly string[]): Generator<ProcessIdentity> {
  if (process.platform !== 'linux' || values.length === 0) return
  const wanted = values.map((value) => Buffer.from(`\0${mark}=${value}\0`))
  for (const pid of listPids()) {
    if (pid === process.pid) continue
    const environment = environmentOf(pid)
    const identity = wanted.some((entry) => environment.includes(entry)) && identify(pid)
    if (identity) yield identity
  }
}

/** Ends them all: asked first, killed after `graceMs`. False when some outlived SIGKILL. Never rejects. */
export async function endMarked(
  mark: string,
  values: readonly string[],
  { graceMs }: { graceMs: number },
): Promise<boolean> {
  const find = () => findMarked(mark, values)
  return (await askAllToEnd(find, graceMs)) || killAll(find)
}

/** With a NUL before and after each entry. Empty when the process is gone, or another user's. */
function environmentOf(pid: number): Buffer {
  try {
    return Buffer.concat([Buffer.of(0), readFileSync(`/proc/${pid}/environ`), Buffer.of(0)])
  } catch {
    return Buffer.alloc(0)
  }
}
