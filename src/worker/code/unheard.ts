import { createHash } from 'node:crypto'
import type { CodeWaiting } from '#contract/execute.ts'
import type { Caller } from '#tools/port.ts'

const most = 1_000

/** Runs that wait for a person, and for which nobody waits any more: their client has given up. */
export interface Unheard {
  put(caller: Caller, wanted: object, waiting: CodeWaiting): void
  /** That of whoever asks for exactly the same again, once. */
  take(caller: Caller, wanted: object): CodeWaiting | undefined
}

export function openUnheard(): Unheard {
  const byWish = new Map<string, CodeWaiting>()
  return {
    put(caller, wanted, waiting) {
      const wish = wishOf(caller, wanted)
      byWish.delete(wish)
      byWish.set(wish, waiting)
      const [oldest] = byWish.keys()
      if (byWish.size > most && oldest !== undefined) byWish.delete(oldest)
    },
    take(caller, wanted) {
      const wish = wishOf(caller, wanted)
      const waiting = byWish.get(wish)
      byWish.delete(wish)
      return waiting
    },
  }
}

/** What an agent wanted in one execution nobody wants in the next: its runs end with it. */
function wishOf(caller: Caller, wanted: object): string {
  const who = [caller.id, caller.sessionId, caller.kind === 'agent' ? caller.executionId : null]
  return createHash('sha256')
    .update(JSON.stringify([who, wanted]))
    .digest('base64')
}
