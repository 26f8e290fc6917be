import type { Logger } from 'pino'
import type { Listener } from '#db/listen.ts'
import type { Database } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { openReader } from './reader.ts'
import type { Reader } from './reader.ts'
import { encodeEvents } from './sse.ts'
import { Tail } from './tail.ts'

/** Every stream, for any number of readers, over one LISTEN connection. */
export interface StreamReader {
  /**
   * Opens a stream as SSE bytes after `after`, or at its end. In order, no gap, no duplicate. The bytes end when the
   * reader is too slow, the database was away, or a token of `whose` was revoked: it resumes from the last id it saw.
   */
  open(streamId: string, after?: number, whose?: string): Promise<ReadableStream<Uint8Array>>
  readonly readers: number
  close(): void
}

const heartbeatEvery = 15_000
const lookAnyway = 5_000

export function openStreams(db: Database, listener: Listener, log: Logger): StreamReader {
  const tails = new Map<string, Tail>()
  const readers = new Set<Reader>()
  const wakeAll = () => {
    for (const tail of tails.values()) tail.wake()
  }

  const stopListening = listener.on('events', (notified) => {
    tails.get(notified.slice(0, notified.indexOf(':')))?.wake()
  })
  const stopRevoked = listener.on('revoked', (principalId) => {
    for (const reader of readers) if (reader.whose === principalId) reader.end()
  })
  let listened = false
  const stopReconnected = listener.onReconnect(() => {
    // A revocation may have gone unheard. Whoever may still read comes back at once, and misses nothing.
    if (listened) for (const reader of readers) reader.end()
    listened = true
    wakeAll()
  })
  const safetyNet = setInterval(wakeAll, lookAnyway)
  const hearts = setInterval(() => {
    for (const reader of readers) reader.beat()
  }, heartbeatEvery)

  async function tailOf(streamId: string): Promise<Tail> {
    const known = tails.get(streamId)
    if (known) return known
    const tail = new Tail(db, streamId, encodeEvents, log)
    if (!(await tail.start())) throw new Problem('not_found', `No stream ${streamId}`)
    const raced = tails.get(streamId)
    if (raced) return raced
    tails.set(streamId, tail)
    tail.wake() // whatever came between its start and this line
    return tail
  }

  return {
    async open(streamId, after, whose) {
      const tail = await tailOf(streamId)
      if (after !== undefined && after > tail.at && !(await tail.reaches(after)))
        throw new Problem(
          'does_not_fit',
          `The stream has not reached ${after} yet; it is at ${tail.at}. Open it afresh.`,
          {
            in: 'header',
            fields: [{ field: 'last-event-id', reason: `must be at most ${tail.at}` }],
          },
        )
      const reader = openReader({ db, streamId, tail, after: after ?? tail.at, whose }, () => {
        readers.delete(reader)
        if (tail.users === 0) tails.delete(streamId)
      })
      readers.add(reader)
      return reader.bytes
    },
    get readers() {
      return readers.size
    },
    close() {
      clearInterval(safetyNet)
      clearInterval(hearts)
      stopListening()
      stopRevoked()
      stopReconnected()
      for (const reader of readers) reader.end()
    },
  }
}
