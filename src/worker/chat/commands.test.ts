import { expect, test } from 'vitest'
import type { DatabasePool } from '#db/pool.ts'
import { owner } from '#domain/access.ts'
import { sendMessage } from '#flows/send-message.ts'
import { handOver, openDriven, patient } from '../../../test/support/chat/driven.ts'

const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })

/** From `lose` on it commits once, and the answer is lost; after that so many reads fail. */
function losingPool(pool: DatabasePool, reads = 0) {
  let isLosing = false
  let left = 0
  const query = (...given: unknown[]): unknown => {
    left -= 1
    if (left >= 0) throw lost()
    return (pool.db.$client.query as (...asked: unknown[]) => unknown).apply(pool.db.$client, given)
  }
  const $client = Object.assign(Object.create(pool.db.$client) as DatabasePool['db']['$client'], { query })
  const db = Object.assign(Object.create(pool.db) as DatabasePool['db'], { $client })
  const losing: DatabasePool = {
    db,
    together: (read) => pool.together(read),
    statement: (write) => pool.statement(write),
    close: () => pool.close(),
    async transaction(work) {
      const result = await pool.transaction(work)
      if (!isLosing) return result
      isLosing = false
      left = reads
      throw lost()
    },
  }
  return { losing, lose: () => void (isLosing = true), hasLost: () => !isLosing }
}

test.each([0, 3])(
  'a word whose delivery was kept, and not acknowledged, is heard once (%i reads fail)',
  async (reads) => {
    const box = await openDriven({ steps: [{ calls: [['a', 'desk__sell']] }, { text: 'Done.' }] })
    const { losing, lose, hasLost } = losingPool(box.pool, reads)
    const { id, sessionId } = await box.say('Sell')
    const driving = await box.worker(losing).drive(id)
    const [asked] = await box.waiting(1)
    // The question has told the turn to stand still: that is delivered first.
    driving.ring()
    const undelivered = async () =>
      (await box.pool.db.$client.query('select 1 from commands where delivered_at is null')).rows
    await expect.poll(undelivered, patient).toEqual([])
    lose()
    await box.pool.transaction((tx) => sendMessage(tx, owner, handOver, id, { text: 'And hurry', files: [] }))
    driving.ring()
    await expect.poll(hasLost, patient).toBe(true)
    await box.answer(asked!.id, 'granted')
    await driving.done
    expect(JSON.stringify(box.shown).match(/And hurry/g)).toHaveLength(1)
    const deliveries = (await box.log(sessionId)).filter(({ type }) => type === 'data-delivery')
    expect(deliveries).toHaveLength(1)
    expect(await box.row(id)).toMatchObject({ status: 'succeeded' })
  },
)
