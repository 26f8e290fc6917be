import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { StoredEvent } from '#db/events.ts'
import { openPool } from '#db/pool.ts'
import type { Following } from '#events/follower.ts'
import { freshDatabase } from '../../test/support/postgres.ts'
import { openSessionView } from './session-view.ts'

// A real database; what is followed is played.

const sessionId = '01a1e671-56ab-746f-9bc0-d62fc5607a55'
const event = (seq: number): StoredEvent => ({
  seq,
  executionId: null,
  type: 'text-delta',
  payload: JSON.stringify({ delta: `${seq} ` }),
  at: new Date(),
})

async function stage() {
  const database = await freshDatabase()
  const pool = openPool(database.url)
  const followed: (Following & { after: number })[] = []
  let seen = ''
  const view = openSessionView(
    {
      db: pool.db,
      streams: {
        async follow(_, after, following) {
          let isOver = false
          const ended = () => {
            if (!isOver) following.ended()
            isOver = true
          }
          followed.push({ ...following, ended, after })
          return { end: ended }
        },
      },
    },
    sessionId,
    {
      take: (bytes) => void (seen += bytes.toString()),
      drained: () => undefined,
      refused: () => undefined,
      ended: () => undefined,
    },
  )
  onTestFinished(async () => {
    view.close()
    await pool.close()
    await database.drop()
  })
  await expect.poll(() => followed).toHaveLength(1)
  return { view, followed, seen: () => seen }
}

it('shows everything once to somebody who was too slow, and goes on later', async () => {
  const { view, followed, seen } = await stage()
  await followed[0]!.take([event(1)])
  view.pause()
  const slow = followed[0]!.take([event(2), event(3)])
  followed[0]!.ended()
  await expect.poll(() => followed, { timeout: 3_000 }).toHaveLength(2)
  expect(followed[1]!.after).toBe(1)
  const again = followed[1]!.take([event(2), event(3), event(4)])
  view.resume()
  await Promise.all([slow, again])
  expect(seen()).toBe('1 2 3 4 ')
})

it('begins anew when all of it is to be drawn again, whatever was on its way', async () => {
  const { view, followed, seen } = await stage()
  await followed[0]!.take([event(1)])
  view.pause()
  const late = followed[0]!.take([event(2)])
  view.repaint()
  view.resume()
  await late
  await expect.poll(() => followed, { timeout: 3_000 }).toHaveLength(2)
  expect(followed[1]!.after).toBe(0)
  await followed[1]!.take([event(1), event(2)])
  await wait(20)
  expect(seen()).toBe('1 \x1bc1 2 ')
})
