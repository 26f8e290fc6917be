import type { NewEvent } from '#contract/event.ts'
import { appendEvents } from '#db/events.ts'
import type { DatabasePool } from '#db/pool.ts'
import { mergeDeltas } from './deltas.ts'

export interface Appender {
  /** Resolves once the events are committed, in the order they were handed in; rejects when they are not. */
  append(streamId: string, events: readonly NewEvent[]): Promise<void>
  /** Writes what is waiting. */
  close(): Promise<void>
}

const window = 15
const largestBatch = 1_000

interface Waiting {
  events: NewEvent[]
  done: PromiseWithResolvers<void>
}

/** Gathers what comes within 15 ms for a stream into one statement and one NOTIFY. */
export function openAppender(pool: Pick<DatabasePool, 'transaction'>): Appender {
  const waiting = new Map<string, Waiting>()
  const writing = new Map<string, Promise<void>>()

  function flushSoon(streamId: string): void {
    const after = writing.get(streamId) ?? Promise.resolve()
    const next = Promise.all([after, new Promise((resolve) => setTimeout(resolve, window))]).then(() =>
      flush(streamId),
    )
    writing.set(streamId, next)
  }

  async function flush(streamId: string): Promise<void> {
    const batch = waiting.get(streamId)
    waiting.delete(streamId)
    if (!batch) return
    try {
      const events = mergeDeltas(batch.events)
      await pool.transaction(async (tx) => {
        for (let from = 0; from < events.length; from += largestBatch)
          await appendEvents(tx, streamId, events.slice(from, from + largestBatch))
      })
      batch.done.resolve()
    } catch (error) {
      batch.done.reject(error)
    }
    if (!waiting.has(streamId)) writing.delete(streamId)
  }

  return {
    append(streamId, events) {
      const batch = waiting.get(streamId)
      if (batch) {
        for (const event of events) batch.events.push(event)
        return batch.done.promise
      }
      const done = Promise.withResolvers<void>()
      waiting.set(streamId, { events: [...events], done })
      flushSoon(streamId)
      return done.promise
    },
    async close() {
      await Promise.all(writing.values())
    },
  }
}
