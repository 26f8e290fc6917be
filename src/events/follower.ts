import { readEvents } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import type { Batch, Tail } from './tail.ts'

/** Whoever is handed a stream's events as they are. */
export interface Following {
  /** Called with the next ones once it has taken those before. */
  take(events: readonly StoredEvent[]): Promise<void> | void
  /** Everything that was there when it came was taken; called once. */
  caughtUp?(): void
  /** Nothing follows: it was too slow, it could not take something, or the database was away. It resumes after the last that it took. */
  ended(): void
}

export interface Follower {
  end(): void
}

interface FollowerOptions {
  db: Database
  streamId: string
  tail: Tail
  after: number
}

const page = 500
const mostUnread = 1_048_576

/** One who reads a stream in order: up to the tail page by page, and then what the tail hands to all. */
export function openFollower(
  { db, streamId, tail, after }: FollowerOptions,
  following: Following,
  gone: () => void,
): Follower {
  let at = after
  let isLive = false
  let isOver = false
  let unread = 0
  let waiting: StoredEvent[] = []
  let wake: (() => void) | undefined

  function end(): void {
    if (isOver) return
    isOver = true
    tail.subscribers.delete(onBatch)
    wake?.()
    gone()
    following.ended()
  }

  function onBatch({ events }: Batch): void {
    if (unread > mostUnread) return end()
    waiting.push(...events)
    unread += sizeOf(events)
    wake?.()
  }

  async function next(): Promise<StoredEvent[]> {
    if (isLive) {
      if (waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      const events = waiting
      waiting = []
      unread = 0
      return events
    }
    const known = tail.at
    if (at < known) {
      const { events } = await readEvents(db, streamId, at, page)
      if (events.length === 0) at = known
      return events
    }
    // No await between the look at the tail and joining it: nothing can slip through.
    isLive = true
    tail.subscribers.add(onBatch)
    following.caughtUp?.()
    return []
  }

  async function readOn(): Promise<void> {
    while (!isOver) {
      const events = (await next()).filter(({ seq }) => seq > at)
      at = events.at(-1)?.seq ?? at
      if (!isOver && events.length > 0) await following.take(events)
    }
  }

  readOn().catch(end)
  return { end }
}

const sizeOf = (events: readonly StoredEvent[]): number =>
  events.reduce((sum, { payload }) => sum + payload.length, 0)
