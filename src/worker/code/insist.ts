import { setTimeout as wait } from 'node:timers/promises'
import { isDatabaseAway } from '#db/failure.ts'

/** Does it again for as long as the database is away. Rejects with whatever else goes wrong, and when nobody wants it any more. */
export async function insist<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
  for (let waitMs = 100; ; waitMs = Math.min(waitMs * 2, 2_000)) {
    signal?.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      await wait(waitMs, undefined, { ref: false, ...(signal && { signal }) })
    }
  }
}
