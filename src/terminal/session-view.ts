import { setTimeout as wait } from 'node:timers/promises'
import type { StoredEvent } from '#db/events.ts'
import { lastSeq } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import type { Follower } from '#events/follower.ts'
import type { StreamReader } from '#events/streams.ts'
import type { Reader, Source } from './port.ts'
import { dim, openSessionText, plain } from './session-text.ts'

interface Parts {
  db: Database
  streams: Pick<StreamReader, 'follow'>
}

/** A viewer is shown the end of a long session; its page has all of it. */
const mostEvents = 3_000
const againMs = 500
const startOver = '\x1bc'

/** A session to read: what was said, what was called, what came of it, as it is appended to the log. Nobody can type into it. */
export function openSessionView({ db, streams }: Parts, sessionId: string, reader: Reader): Source {
  let textOf = openSessionText()
  let isClosed = false
  let going = Promise.withResolvers<void>()
  going.resolve()
  let follower: Follower | undefined
  let at = -1
  /** Which of all that were followed is the present one: an earlier one may still have something in its hands. */
  let present = 0

  const tell = (text: string) => void (!isClosed && reader.take(Buffer.from(text)))

  async function take(events: readonly StoredEvent[], mine: number): Promise<void> {
    for (const event of events) {
      await going.promise
      if (isClosed || mine !== present) return
      const text = textOf(event)
      if (text && text.length > 0) reader.take(text)
      at = event.seq
    }
  }

  async function follow(): Promise<void> {
    const mine = (present += 1)
    if (at === -1) {
      const end = (await lastSeq(db, sessionId)) ?? 0
      at = Math.max(0, end - mostEvents)
      if (at > 0) tell(`${dim}… what was said before is on the page of this session${plain}\r\n`)
    }
    follower = await streams.follow(sessionId, at, {
      take: (events) => take(events, mine),
      ended: () => void again(),
    })
    if (isClosed || mine !== present) follower.end()
  }

  /** Too slow, or the database was away: it goes on after what was shown last. */
  async function again(): Promise<void> {
    await wait(againMs, undefined, { ref: false })
    if (isClosed) return
    await follow().catch(() => again())
  }

  void follow().catch(() => again())
  return {
    write: () => true,
    resize: () => undefined,
    repaint() {
      tell(startOver)
      at = -1
      present += 1
      textOf = openSessionText()
      follower?.end() // it begins anew by itself
    },
    pause() {
      going = Promise.withResolvers()
    },
    resume: () => going.resolve(),
    close() {
      if (isClosed) return
      isClosed = true
      going.resolve()
      follower?.end()
    },
  }
}
