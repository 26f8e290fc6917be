import { setTimeout as wait } from 'node:timers/promises'
import { isDatabaseAway, isTooSlow } from '#db/failure.ts'

const mostSlow = 3

/**
 * Does it again for as long as the database is away, and a few times when that takes too long. Rejects with whatever else goes wrong, and
 * with the reason of the signal when nobody wants it any more.
 */
export async function insist<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  let slow = 0
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (isTooSlow(error)) slow += 1
      if (!isDatabaseAway(error) || slow === mostSlow) throw error
      await wait(waitMs, undefined, { ref: false, ...(signal && { signal }) }).catch(() => undefined)
    }
  }
}
