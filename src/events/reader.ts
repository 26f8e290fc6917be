import { readEvents } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import { encodeEvents, heartbeat, ready } from './sse.ts'
import type { Batch, Tail } from './tail.ts'

export interface Reader {
  whose: string | undefined
  bytes: ReadableStream<Uint8Array>
  beat(): void
  /** Ends the bytes; the reader on the other side resumes. */
  end(): void
}

interface ReaderOptions {
  db: Database
  streamId: string
  tail: Tail
  after: number
  whose: string | undefined
  until: Date | undefined
}

const page = 500
const mostUnread = 1_048_576

/** One reader of one stream: reads up to the tail at its own pace, then is handed what the tail hands to all. */
export function openReader(
  { db, streamId, tail, after, whose, until }: ReaderOptions,
  gone: () => void,
): Reader {
  let at = after
  let live = false
  let ended = false
  let controller: ReadableStreamDefaultController<Uint8Array>

  function leave(): void {
    if (ended) return
    ended = true
    tail.subscribers.delete(onBatch)
    gone()
  }

  function end(): void {
    if (ended) return
    leave()
    controller.close()
  }

  function onBatch(batch: Batch): void {
    // Too slow: it keeps what is queued and resumes after it, instead of holding the memory of everyone.
    if ((controller.desiredSize ?? 0) <= 0) return end()
    const { events } = batch
    const fresh = events.findIndex((event) => event.seq > at)
    if (fresh === -1) return
    at = events.at(-1)!.seq
    controller.enqueue(fresh === 0 ? batch.bytes : encodeEvents(events.slice(fresh)))
  }

  async function catchUp(): Promise<void> {
    while (!live && !ended) {
      if (at >= tail.at) {
        // No await between the look at the tail and joining it: nothing can slip through.
        live = true
        tail.subscribers.add(onBatch)
        return
      }
      const end = tail.at
      const { events } = await readEvents(db, streamId, at, page)
      if (ended) return
      at = events.at(-1)?.seq ?? end
      if (events.length > 0) return controller.enqueue(encodeEvents(events))
    }
  }

  const bytes = new ReadableStream<Uint8Array>(
    {
      start(opened) {
        controller = opened
        controller.enqueue(ready(after))
      },
      pull: () => (live ? undefined : catchUp().catch(end)),
      cancel: leave,
    },
    { highWaterMark: mostUnread, size: (chunk) => chunk.byteLength },
  )
  return {
    whose,
    bytes,
    beat: () => {
      if (until && Date.now() >= until.getTime()) end()
      else if (live && !ended && (controller.desiredSize ?? 0) > 0) controller.enqueue(heartbeat)
    },
    end,
  }
}
