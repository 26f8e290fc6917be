import { expect, test } from 'vitest'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { recentConversation } from './recent-conversation.ts'

type Pool = Awaited<ReturnType<typeof freshPool>>

const eventsPerTurn = 50

test('of a session with 2,000 turns only the last ones are read, as quickly as a new one', async () => {
  const pool = await freshPool()
  const [long, short] = [await sessionOf(pool, 2_000), await sessionOf(pool, 1)]
  const read = await seqsOf(pool, long, 26)
  expect(read).toMatchObject({ isWhole: false, first: 1_974 * eventsPerTurn + 1, count: 26 * eventsPerTurn })
  expect(await seqsOf(pool, short, 26)).toMatchObject({ isWhole: true, first: 1, count: eventsPerTurn })
  const quickest = async (session: string) => {
    const took: number[] = []
    for (let round = 0; round < 7; round += 1) {
      const begun = performance.now()
      await seqsOf(pool, session, 26)
      took.push(performance.now() - begun)
    }
    return Math.min(...took)
  }
  expect((await quickest(long)) - (await quickest(short))).toBeLessThan(50)
})

test('a turn is read from its beginning: words in the middle of one are none', async () => {
  const pool = await freshPool()
  const session = await sessionOf(pool, 3)
  await say(pool, session, 'data-message', { text: 'wait', files: [], commandId: newId() })
  expect(await seqsOf(pool, session, 2)).toMatchObject({ first: eventsPerTurn + 1, isWhole: false })
  expect(await seqsOf(pool, session, 3)).toMatchObject({ first: 1, isWhole: true })
})

test.each(['\0', '\ud800', '"commandId":'])(
  'no name of a message keeps a session from being read: %j',
  async (messageId) => {
    const pool = await freshPool()
    const session = await sessionOf(pool, 1)
    await say(pool, session, 'data-message', { text: `"commandId":"${messageId}"`, files: [], messageId })
    expect(await seqsOf(pool, session, 1)).toMatchObject({ first: eventsPerTurn + 1, count: 1 })
  },
)

test('what was left for another branch counts for nothing', async () => {
  const pool = await freshPool()
  const session = await sessionOf(pool, 4)
  await say(pool, session, 'data-branch', { after: eventsPerTurn * 2 })
  await say(pool, session, 'data-message', { text: 'another way', files: [] })
  const { seqs, isWhole } = await seqsOf(pool, session, 2)
  expect(isWhole).toBe(false)
  expect([seqs[0], seqs.at(-2), seqs.at(-1)]).toEqual([
    eventsPerTurn + 1,
    eventsPerTurn * 2,
    eventsPerTurn * 4 + 2,
  ])
})

async function seqsOf(pool: Pool, session: string, turns: number) {
  const { events, isWhole } = await recentConversation(pool.db, session, turns)
  const seqs: number[] = []
  for await (const { seq } of events) seqs.push(seq)
  return { isWhole, seqs, first: seqs[0], count: seqs.length }
}

/** Turns that begin with what a person said, and are answered in pieces. */
async function sessionOf(pool: Pool, turns: number): Promise<string> {
  const session = newId()
  const last = turns * eventsPerTurn
  await pool.db.$client.query('insert into streams (id, last_seq) values ($1, $2)', [session, last])
  await pool.db.$client.query(
    `insert into events (stream_id, seq, type, payload, execution_id)
     select $1, n, case when n % $3 = 1 then 'data-message' else 'text-delta' end,
       case when n % $3 = 1 then '{"text":"go","files":[]}'::json else '{"id":"t","delta":"some words"}'::json end,
       ('00000000-0000-7000-8000-' || lpad(((n - 1) / $3)::text, 12, '0'))::uuid
     from generate_series(1, $2::int) as n`,
    [session, last, eventsPerTurn],
  )
  await pool.db.$client.query('analyze events')
  return session
}

async function say(pool: Pool, session: string, type: string, payload: object): Promise<void> {
  await pool.db.$client.query(
    `with counted as (update streams set last_seq = last_seq + 1 where id = $1 returning last_seq)
     insert into events (stream_id, seq, type, payload, execution_id)
     select $1, last_seq, $2, $3, case when $2 = 'data-branch' then null else $4::uuid end from counted`,
    [session, type, JSON.stringify(payload), newId()],
  )
}
