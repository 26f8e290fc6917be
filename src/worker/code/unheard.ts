import { createHash } from 'node:crypto'
import type { ExecuteCode } from '#contract/execute.ts'
import type { Caller } from '#tools/port.ts'

const most = 1_000

/** What was asked for by the code of an execution that has not ended. */
export type OpenWishes = (executionId: string) => Promise<{ id: string; wanted: ExecuteCode }[]>

export interface UnheardNeeds {
  openWishes: OpenWishes
  /** Whether this run is at its end. */
  hasEnded: (requestId: string) => Promise<boolean>
}

/** Runs that wait for a person, and for which nobody waits any more: their client has given up, or our process was another one. */
export interface Unheard {
  /** Somebody waits for this run, until what it answers with is called. */
  waitFor(requestId: string): () => void
  /** Nobody does any more. */
  put(caller: Caller, wanted: ExecuteCode, requestId: string): void
  /**
   * The run of whoever asks for exactly the same again, once. For a person one that has ended is none: who runs the
   * same code again means it. An agent whose client gave up was told nothing: it gets the result, and nothing is done twice.
   */
  take(caller: Caller, wanted: ExecuteCode): Promise<string | undefined>
  /** What came of it was told. */
  forget(requestId: string): void
}

export function openUnheard({ openWishes, hasEnded }: UnheardNeeds): Unheard {
  const byWish = new Map<string, string>()
  const waitedFor = new Set<string>()

  /** Left behind by the process before this one. What an agent wanted in one execution nobody wants in the next: its runs end with it. */
  async function leftBehind(caller: Caller, wanted: ExecuteCode): Promise<string | undefined> {
    if (caller.kind !== 'agent') return undefined
    const runs = await openWishes(caller.executionId)
    const same = runs.find(({ id, wanted: other }) => !waitedFor.has(id) && isSame(other, wanted))
    return same?.id
  }

  return {
    waitFor(requestId) {
      waitedFor.add(requestId)
      return () => waitedFor.delete(requestId)
    },
    put(caller, wanted, requestId) {
      byWish.set(wishOf(caller, wanted), requestId)
      const [oldest] = byWish.keys()
      if (byWish.size > most && oldest !== undefined) byWish.delete(oldest)
    },
    async take(caller, wanted) {
      const wish = wishOf(caller, wanted)
      const requestId = byWish.get(wish)
      byWish.delete(wish)
      if (requestId === undefined) return leftBehind(caller, wanted)
      return caller.kind === 'person' && (await hasEnded(requestId)) ? undefined : requestId
    },
    forget(requestId) {
      for (const [wish, known] of byWish) if (known === requestId) byWish.delete(wish)
    },
  }
}

const isSame = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other)

function wishOf(caller: Caller, wanted: ExecuteCode): string {
  const who = [caller.id, caller.sessionId, caller.kind === 'agent' ? caller.executionId : null]
  return createHash('sha256')
    .update(JSON.stringify([who, wanted]))
    .digest('base64')
}
