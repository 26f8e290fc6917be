import type { Socket } from 'socket.io'
import type { Principal } from '#contract/access.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { HeardOnSocket } from '#contract/gateway.ts'
import { lastSeq } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Follower, Following } from '#events/follower.ts'
import { Problem } from '#domain/problem.ts'
import type { CallRate } from '../call-rate.ts'
import type { Held, Right } from '../held-open.ts'
import type { Parts } from '../room.ts'
import { drained } from './drained.ts'
import { asProblem } from './failure.ts'
import { readWish } from './heard.ts'
import type { Wish } from './heard.ts'
import { letIn, readKnock } from './knock.ts'
import { findPlace } from './place.ts'
import type { Place } from './place.ts'
import { ChatTelling } from './telling.ts'
import type { Told } from './telling.ts'

export interface ConnectionNeeds extends Parts {
  hold: (right: Right) => Held
  rate: CallRate
}

type Room = Right & Place

/** So many things, of so many characters in all, may be said before the first of them was heard. */
const mostUnheard = 100
const mostUnheardSize = 2_000_000
/** So much is told before it is looked whether it is read. */
const toldAtOnce = 100

/** One client: who it is, what it is told, and what it says. */
export function openConnection(needs: ConnectionNeeds, socket: Socket): void {
  const { log, streams, hold, rate, pool } = needs
  const left = new AbortController()
  const followers: Follower[] = []
  let held: Held | undefined
  let at = 0
  let unheard = 0
  let unheardSize = 0
  let isRefused = false

  socket.once('disconnect', () => {
    left.abort()
    held?.release()
    for (const follower of followers.splice(0)) follower.end()
  })

  const tell = ({ name, body }: Told) => socket.emit(name, { ...body, seq: at })

  /** It comes back by itself, and goes on after the last seq that it has seen. */
  const drop = () => {
    if (!left.signal.aborted) socket.conn.close(true)
  }

  function refuse(error: unknown): void {
    isRefused = true
    const { code, message } = asProblem(error, log)
    tell({ name: 'error', body: { code, message } })
    if (isPassing.has(code)) socket.conn.close()
    else socket.disconnect(true)
  }

  function count({ id }: Principal): void {
    const retryAfterSec = rate.take(id)
    if (retryAfterSec === undefined) return
    throw tooMuch(`Too much was said, or too often connected, within a minute. Wait ${retryAfterSec} s`)
  }

  async function enter(): Promise<Room> {
    const knock = readKnock(socket.handshake)
    at = knock.after ?? 0
    const right = await letIn(needs, socket.handshake, knock.token)
    count(right.principal)
    const place = await findPlace(needs, right.principal, knock)
    at = place.after
    return { ...right, ...place }
  }

  async function follow(streamId: string, after: number, following: Omit<Following, 'ended'>): Promise<void> {
    const follower = await streams.follow(streamId, after, { ...following, ended: drop })
    if (left.signal.aborted) follower.end()
    else followers.push(follower)
  }

  async function open(): Promise<Room> {
    const room = await enter()
    left.signal.throwIfAborted()
    held = hold(room)
    held.ended.addEventListener('abort', drop)
    void held.check() // what was revoked meanwhile was heard of by nobody
    const { sessionId, provider, model } = room
    tell({ name: 'system:ready', body: { sessionId, provider, model } })
    await follow(BOARD_STREAM, (await lastSeq(pool.db, BOARD_STREAM)) ?? 0, { take: tellSources })
    await follow(sessionId, room.from, tellingOf(room))
    return room
  }

  function tellingOf({ after, end, sessionId }: Room): Omit<Following, 'ended'> {
    const telling = new ChatTelling()
    let shown: Told | undefined
    return {
      async take(events) {
        for (const [index, event] of events.entries()) {
          if (index % toldAtOnce === 0) await drained(socket.conn, left.signal)
          const told = telling.take(event)
          if (event.seq <= after) continue
          at = event.seq
          if (event.type === 'data-trashed' && event.seq > end) return refuse(trashed(sessionId))
          if (told) tell(told)
          if (told?.name === 'tool:approval_required') shown = told
        }
        await drained(socket.conn, left.signal)
      },
      // Whoever comes, or comes back, has to see what is to be answered now.
      caughtUp() {
        const { due } = telling
        if (due && due.body !== shown?.body) tell(due)
      },
    }
  }

  async function tellSources(events: readonly StoredEvent[]): Promise<void> {
    for (const { type, payload } of events) {
      const name: unknown = type === 'mcpAdded' ? JSON.parse(payload).name : undefined
      if (typeof name !== 'string') continue
      tell({ name: 'mcpAdded', body: { name } })
      await drained(socket.conn, left.signal)
    }
  }

  const opening = open()
  opening.catch((error: unknown) => left.signal.aborted || refuse(error))
  let before: Promise<unknown> = opening

  async function heard(wish: Wish): Promise<HeardOnSocket> {
    const { principal: by, sessionId } = await opening
    count(by)
    return wish.hear(needs, { by, sessionId })
  }

  /** In the order in which it was said. */
  function inTurn(wish: Wish): Promise<HeardOnSocket> {
    if (unheard >= mostUnheard || unheardSize + wish.size > mostUnheardSize)
      return Promise.reject(tooMuch('Too much that was said waits to be heard: say no more for now'))
    unheard += 1
    unheardSize += wish.size
    const work = before
      .then(() => heard(wish))
      .finally(() => {
        unheard -= 1
        unheardSize -= wish.size
      })
    before = work.catch(() => undefined)
    return work
  }

  async function reply(wish: Wish, about: { callId?: string }, answer: unknown): Promise<void> {
    const done = await inTurn(wish).catch((error: unknown): HeardOnSocket | undefined => {
      if (left.signal.aborted || isRefused) return undefined
      const { code, message } = asProblem(error, log)
      tell({ name: 'agent:error', body: { message, code, ...about } })
      return { error: { code, message } }
    })
    if (done && typeof answer === 'function') answer(done)
  }

  socket.onAny((name: unknown, ...given: unknown[]) => {
    const answer = typeof given.at(-1) === 'function' ? given.pop() : undefined
    void reply(readWish(name, given[0]), callIn(given[0]), answer)
  })
}

/** What may be better in a moment: the client tries again by itself. */
const isPassing = new Set<string>(['database_unavailable', 'machine_unavailable', 'issuer_unavailable'])

const trashed = (sessionId: string) =>
  new Problem('session_trashed', 'The session is in the trash: restore it first', { sessionId })

const tooMuch = (message: string) => new Problem('too_many_calls', message)

/** Which question an answer was meant for. */
function callIn(body: unknown): { callId?: string } {
  const callId = typeof body === 'object' && body !== null && 'callId' in body ? body.callId : undefined
  return typeof callId === 'string' && callId.length <= 100 ? { callId } : {}
}
