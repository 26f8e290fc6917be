import type { Logger } from 'pino'
import { findExecution } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Listener } from '#db/listen.ts'
import type { Database } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { openChatReader } from './chat-reader.ts'
import type { ChatPlace } from './chat-reader.ts'
import { openFollower } from './follower.ts'
import type { Follower, Following } from './follower.ts'
import { openLogReader } from './log-reader.ts'
import { openReader } from './reader.ts'
import type { Reader } from './reader.ts'
import { encodeEvents } from './sse.ts'
import { Tail } from './tail.ts'

/** Every stream, for any number of readers, over one LISTEN connection. */
export interface StreamReader {
  /**
   * Opens a stream as SSE bytes. In order, no gap, no duplicate. The bytes end when the reader is too slow, when the
   * database was away, and when a token of `whose` was revoked: it resumes from the last id it saw.
   */
  open(streamId: string, options?: OpenOptions): Promise<ReadableStream<Uint8Array>>
  /**
   * Opens an execution's log as SSE bytes, from its beginning unless told where. They end after `done`; a slow reader is
   * waited for. Otherwise as above.
   */
  openLog(
    of: Pick<ExecutionRow, 'id' | 'sessionId'>,
    options?: OpenOptions,
  ): Promise<ReadableStream<Uint8Array>>
  /** Opens a turn of a chat as a UI message stream. It ends with the turn, and whenever a person is asked. */
  openChat(place: ChatPlace, options?: OpenOptions): Promise<ReadableStream<Uint8Array>>
  /** Hands the events of a stream over as they are, from `after` on. In order, no gap, no duplicate; whoever is too slow is let go. */
  follow(streamId: string, after: number, following: Following): Promise<Follower>
  /** Calls `heard` with whose token was revoked, and with nothing when that may have gone unheard; answers with a function that ends it. */
  onRevoked(heard: (whose?: string) => void): () => void
  readonly readers: number
  close(): void
}

export interface OpenOptions {
  /** The seq after which to start; without one, the stream's end. */
  after?: number | undefined
  /** The principal who reads. */
  whose?: string | undefined
  /** When the right to read expires. */
  until?: Date | undefined
  /** Aborts when nobody reads any more. */
  signal?: AbortSignal | undefined
}

interface Rhythm {
  heartbeatMs: number
  /** How often streams are read although nothing was heard: a safety net, nothing more. */
  lookMs: number
}

export function openStreams(
  db: Database,
  listener: Listener,
  log: Pick<Logger, 'warn'>,
  { heartbeatMs, lookMs }: Rhythm = { heartbeatMs: 15_000, lookMs: 5_000 },
): StreamReader {
  const tails = new Map<string, Tail>()
  const readers = new Set<Reader>()
  const followers = new Set<Follower>()
  const watchers = new Set<(whose?: string) => void>()
  const wakeAll = () => {
    for (const tail of tails.values()) tail.wake()
  }

  let listened = false
  const endings = [
    listener.on('events', (notified) => tails.get(notified.slice(0, notified.indexOf(':')))?.wake()),
    listener.on('revoked', (principalId) => {
      for (const reader of readers) if (reader.whose === principalId) reader.end()
      for (const heard of watchers) heard(principalId)
    }),
    listener.onReconnect(() => {
      // A revocation may have gone unheard. Whoever may still read comes back at once, and misses nothing.
      if (listened) for (const reader of readers) reader.end()
      if (listened) for (const heard of watchers) heard()
      listened = true
      wakeAll()
    }),
  ]
  const safetyNet = setInterval(wakeAll, lookMs)
  const hearts = setInterval(() => {
    for (const reader of readers) reader.beat()
  }, heartbeatMs)

  /** Counted before anything is waited for: a tail that somebody is about to join is not taken away. */
  function hold(streamId: string): Tail {
    const tail = tails.get(streamId) ?? new Tail(db, streamId, encodeEvents, log)
    tails.set(streamId, tail)
    tail.users += 1
    return tail
  }

  function letGo(streamId: string, tail: Tail): void {
    tail.users -= 1
    if (tail.users === 0) tails.delete(streamId)
  }

  /** Takes part in a stream, from `after` on; a place that it has not reached is refused. */
  async function join(streamId: string, after: number | undefined): Promise<Tail> {
    const tail = hold(streamId)
    try {
      if (!(await tail.start())) throw new Problem('not_found', `No stream ${streamId}`)
      if (after !== undefined && after > tail.at && !(await tail.reaches(after))) throw ahead(after, tail.at)
      return tail
    } catch (error) {
      letGo(streamId, tail)
      throw error
    }
  }

  function keep(
    streamId: string,
    tail: Tail,
    signal: AbortSignal | undefined,
    openFor: (gone: () => void) => Reader,
  ): ReadableStream<Uint8Array> {
    const reader = openFor(() => {
      readers.delete(reader)
      letGo(streamId, tail)
    })
    readers.add(reader)
    // Whoever hung up before the answer began would otherwise be written to for ever.
    signal?.addEventListener('abort', () => reader.end(), { once: true })
    if (signal?.aborted) reader.end()
    return reader.bytes
  }

  return {
    async open(streamId, { after, whose, until, signal } = {}) {
      const tail = await join(streamId, after)
      return keep(streamId, tail, signal, (gone) =>
        openReader({ db, streamId, tail, after: after ?? tail.at, whose, until }, gone),
      )
    },
    async openLog({ id, sessionId }, { after, whose, until, signal } = {}) {
      const tail = await join(sessionId, after)
      const found = tail.at
      const execution = await findExecution(db, id).catch(giveBack)
      if (!execution) return giveBack(new Problem('execution_not_found', `No execution ${id}`))
      return keep(sessionId, tail, signal, (gone) =>
        openLogReader({ db, execution, tail, found, after: after ?? 0, whose, until }, gone),
      )
      function giveBack(error: unknown): never {
        letGo(sessionId, tail)
        throw error
      }
    },
    async openChat(place, { whose, until, signal } = {}) {
      const { sessionId, from, begins, after } = place
      // Whoever has heard nothing of it yet reads it from its beginning, and need not know where the stream ends.
      const isNew = begins === undefined && after === undefined
      const tail = isNew ? hold(sessionId) : await join(sessionId, undefined)
      if (isNew) tail.startAt(from)
      return keep(sessionId, tail, signal, (gone) => openChatReader({ db, tail, place, whose, until }, gone))
    },
    async follow(streamId, after, following) {
      const tail = await join(streamId, after)
      const follower = openFollower({ db, streamId, tail, after }, following, () => {
        followers.delete(follower)
        letGo(streamId, tail)
      })
      followers.add(follower)
      return follower
    },
    onRevoked(heard) {
      watchers.add(heard)
      return () => watchers.delete(heard)
    },
    get readers() {
      return readers.size + followers.size
    },
    close() {
      clearInterval(safetyNet)
      clearInterval(hearts)
      for (const end of endings) end()
      for (const reader of readers) reader.end()
      for (const follower of followers) follower.end()
    },
  }
}

const ahead = (after: number, end: number) =>
  new Problem('does_not_fit', `The stream has not reached ${after} yet; it is at ${end}. Open it afresh.`, {
    in: 'header',
    fields: [{ field: 'last-event-id', reason: `must be at most ${end}` }],
  })
