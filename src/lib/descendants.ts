import { identify, isAlive } from './process-identity.ts'
import type { ProcessIdentity } from './process-identity.ts'
import { childrenOf } from './process-stat.ts'

/** The descendants of a process that were ever seen, also those whose parent has died since. */
export interface Descendants {
  /** Looks again, and tells those that live. */
  living(): ProcessIdentity[]
  close(): void
}

/** Looks now and then, because a child of a dead parent is nobody's: only who was seen before is remembered. */
export function watchDescendants(root: number, everyMs: number): Descendants {
  const seen = new Map<string, ProcessIdentity>()
  const look = () => {
    const todo = [root, ...[...seen.values()].filter(isAlive).map(({ pid }) => pid)]
    for (const parent of todo)
      for (const pid of childrenOf(parent)) {
        const child = identify(pid)
        const name = `${pid} ${child?.startTime}`
        if (!child || seen.has(name)) continue
        seen.set(name, child)
        todo.push(pid)
      }
    for (const [name, one] of seen) if (!isAlive(one)) seen.delete(name)
  }
  const timer = setInterval(look, everyMs)
  return {
    living() {
      look()
      return [...seen.values()]
    },
    close: () => clearInterval(timer),
  }
}
