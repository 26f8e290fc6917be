import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { lastSeq } from '#db/events.ts'
import { readOutput } from '#db/output.ts'
import type { Database } from '#db/pool.ts'
import { spokenOf, spokenTypes } from './spoken.ts'

/**
 * Everything an execution has said until now, byte for byte, read page by page as fast as it is taken. When it cannot be
 * read to its end the bytes end with an error: a part of a log must not look like the whole of it.
 */
export async function openRawLog(
  db: Database,
  { id, sessionId, firstSeq, lastSeq: end }: ExecutionRow,
): Promise<ReadableStream<Uint8Array>> {
  const place = { sessionId, executionId: id }
  const upTo = end ?? (await lastSeq(db, sessionId)) ?? 0
  let at = firstSeq - 1
  let next = await page()

  /** The bytes that come next, and none at the end. */
  async function page(): Promise<Buffer | undefined> {
    for (;;) {
      const events = await readOutput(db, place, at, upTo, spokenTypes)
      const last = events.at(-1)
      if (!last) return undefined
      at = last.seq
      const spoken = events.flatMap(({ type, payload }) => spokenOf(type, payload)?.bytes ?? [])
      if (spoken.length > 0) return Buffer.concat(spoken)
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (next) {
          controller.enqueue(next)
          next = await page()
          return
        }
        if ((await findExecution(db, id))?.outputRemovedAt !== null)
          throw new Error('The output was removed while it was read')
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
