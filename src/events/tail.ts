import type { Logger } from 'pino'
import { lastSeq, readEvents } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database } from '#db/pool.ts'

/** New events of one stream, in order and without a gap. `bytes` is encoded once, however many readers there are. */
export interface Batch {
  events: StoredEvent[]
  bytes: Uint8Array
}

export type Subscriber = (batch: Batch) => void

const page = 1_000

/** The moving end of one stream, read once for all of its readers. */
export class Tail {
  /** Every subscriber has been given everything up to here. */
  at = 0
  /** Those who read at the end. */
  readonly subscribers = new Set<Subscriber>()
  /** Those who read anywhere in the stream. */
  users = 0
  readonly #db: Database
  readonly #streamId: string
  readonly #encode: (events: StoredEvent[]) => Uint8Array
  readonly #log: Pick<Logger, 'warn'>
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

  /** Finds the stream's end. Answers false when there is no such stream. */
  async start(): Promise<boolean> {
    const seq = await lastSeq(this.#db, this.#streamId)
    if (seq === undefined) return false
    this.at = Math.max(this.at, seq)
    return true
  }

  /** Whether the stream is really as long as that, whatever this tail has read so far. */
  async reaches(seq: number): Promise<boolean> {
    const end = await lastSeq(this.#db, this.#streamId)
    return end !== undefined && seq <= end
  }

  /** Reads on. While the database is away, the next wake-up tries again. */
  wake(): void {
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
    const events = await readEvents(this.#db, this.#streamId, this.at, page)
    const last = events.at(-1)
    if (!last) return
    this.at = last.seq
    if (events.length === page) this.#again = true
    if (this.subscribers.size === 0) return
    const batch = { events, bytes: this.#encode(events) }
    for (const subscriber of this.subscribers) subscriber(batch)
  }
}
