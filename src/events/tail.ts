import type { Logger } from 'pino'
import { lastSeq, readEvents } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database } from '#db/pool.ts'

/** New events of one stream, in order. `bytes` is encoded once, however many readers there are, and only if one asks. */
export interface Batch {
  events: StoredEvent[]
  readonly bytes: Uint8Array
}

export type Subscriber = (batch: Batch) => void

const page = 1_000

/** The moving end of one stream, read once for all of its readers. */
export class Tail {
  /** Every subscriber has been given everything up to here. */
  at = 0
  /** Those who read at the end. */
  readonly subscribers = new Set<Subscriber>()
  /** Those who read anywhere in the stream, or are about to. */
  users = 0
  readonly #db: Database
  readonly #streamId: string
  readonly #encode: (events: StoredEvent[]) => Uint8Array
  readonly #log: Pick<Logger, 'warn'>
  #started: Promise<boolean> | undefined
  #found = false
  #reading = false
  #again = false

  constructor(
    db: Database,
    streamId: string,
    encode: (events: StoredEvent[]) => Uint8Array,
    log: Pick<Logger, 'warn'>,
  ) {
    this.#db = db
    this.#streamId = streamId
    this.#encode = encode
    this.#log = log
  }

  /** Finds the stream's end, once. Resolves with false when there is no such stream. */
  start(): Promise<boolean> {
    this.#started ??= this.#findEnd().catch((error: unknown) => {
      this.#started = undefined // the database was away: the next one tries again
      throw error
    })
    return this.#started
  }

  /** Begins at a place that the stream is known to have reached, unless it has begun. What lies beyond is read with the next wake-up. */
  startAt(seq: number): void {
    if (this.#started) return
    this.at = seq
    this.#found = true
    this.#started = Promise.resolve(true)
  }

  async #findEnd(): Promise<boolean> {
    const seq = await lastSeq(this.#db, this.#streamId)
    if (seq === undefined) return false
    this.at = seq
    this.#found = true
    this.wake() // whatever came while it was looked for
    return true
  }

  /** Whether the stream is really as long as that, whatever this tail has read so far. */
  async reaches(seq: number): Promise<boolean> {
    const end = await lastSeq(this.#db, this.#streamId)
    return end !== undefined && seq <= end
  }

  /** Reads on. While the database is away, the next wake-up tries again. */
  wake(): void {
    if (!this.#found) return
    this.#again = true
    if (!this.#reading) void this.#readOn()
  }

  async #readOn(): Promise<void> {
    this.#reading = true
    while (this.#again) {
      this.#again = false
      try {
        await this.#readPage()
      } catch (error) {
        this.#log.warn({ err: error, stream: this.#streamId }, 'could not read new events')
      }
    }
    this.#reading = false // no await since the check above: a wake-up in between cannot be missed
  }

  async #readPage(): Promise<void> {
    if (this.subscribers.size === 0) return this.#moveOn()
    const { events, more } = await readEvents(this.#db, this.#streamId, this.at, page)
    const last = events.at(-1)
    if (!last) return
    this.at = last.seq
    if (more) this.#again = true
    const batch = batchOf(events, this.#encode)
    for (const subscriber of this.subscribers) {
      try {
        subscriber(batch)
      } catch (error) {
        // One that cannot take it must not keep it from the others.
        this.subscribers.delete(subscriber)
        this.#log.warn({ err: error, stream: this.#streamId }, 'a reader could not be told')
      }
    }
  }

  /** Nobody reads at the end: what is new is left to those who come up to it page by page. */
  async #moveOn(): Promise<void> {
    const end = await lastSeq(this.#db, this.#streamId)
    if (this.subscribers.size > 0) this.#again = true // somebody joined meanwhile, and must not miss what lies between
    else this.at = Math.max(this.at, end ?? 0)
  }
}

function batchOf(events: StoredEvent[], encode: (events: StoredEvent[]) => Uint8Array): Batch {
  let bytes: Uint8Array | undefined
  return {
    events,
    get bytes() {
      return (bytes ??= encode(events))
    },
  }
}
