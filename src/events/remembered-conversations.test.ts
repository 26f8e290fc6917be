import { expect, test } from 'vitest'
import { newId } from '#lib/id.ts'
import type { DatabasePool } from '#db/pool.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { rememberConversations } from './remembered-conversations.ts'

async function open() {
  const pool = await freshPool()
  const session = newId()
  await pool.db.$client.query('insert into streams (id, last_seq) values ($1, 0)', [session])
  const conversations = rememberConversations()
  const read = async (turns = 2) => {
    const { events, isWhole } = await conversations.recent(pool.db, session, turns)
    return { isWhole, seqs: events.map(({ seq }) => seq) }
  }
  const turn = async (words = 'words') => {
    const executionId = newId()
    await say(pool, session, 'data-message', { text: 'go', files: [] }, executionId)
    await say(pool, session, 'text-delta', { id: 't', delta: words }, executionId)
  }
  return { pool, session, read, turn }
}

async function say(
  pool: DatabasePool,
  session: string,
  type: string,
  payload: object,
  executionId: string | null,
): Promise<void> {
  await pool.db.$client.query(
    `with counted as (update streams set last_seq = last_seq + 1 where id = $1 returning last_seq)
     insert into events (stream_id, seq, type, payload, execution_id)
     select $1, last_seq, $2, $3, $4::uuid from counted`,
    [session, type, JSON.stringify(payload), executionId],
  )
}

test('what is new is read, and what was read before is not', async () => {
  const { pool, session, read, turn } = await open()
  await turn()
  expect(await read()).toEqual({ isWhole: true, seqs: [1, 2] })
  await turn()
  await pool.db.$client.query('delete from events where stream_id = $1 and seq <= 2', [session])
  expect(await read()).toEqual({ isWhole: true, seqs: [1, 2, 3, 4] })
  expect(await read()).toEqual({ isWhole: true, seqs: [1, 2, 3, 4] })
})

test.each([
  ['data-branch', { after: 2 }, [1, 2, 6, 7]],
  ['data-afresh', {}, [6, 7]],
] as const)('%s: what was left is forgotten', async (type, payload, left) => {
  const { pool, session, read, turn } = await open()
  await turn()
  await turn()
  expect((await read(9)).seqs).toEqual([1, 2, 3, 4])
  await say(pool, session, type, payload, null)
  await turn()
  expect((await read(9)).seqs).toEqual(left)
})

test('of a conversation that grows, what is too old is let go, turn by turn', async () => {
  const { pool, session, read, turn } = await open()
  await turn()
  await read()
  await turn()
  expect(await read()).toEqual({ isWhole: true, seqs: [1, 2, 3, 4] })
  const word = { text: 'and hurry', files: [], commandId: newId() }
  await say(pool, session, 'data-message', word, newId())
  expect(await read()).toEqual({ isWhole: true, seqs: [1, 2, 3, 4, 5] })
  await turn()
  expect(await read()).toEqual({ isWhole: false, seqs: [3, 4, 5, 6, 7] })
})

test('whoever wants more than was read before gets it', async () => {
  const { read, turn } = await open()
  for (let turns = 0; turns < 3; turns += 1) await turn()
  expect((await read(1)).seqs).toEqual([5, 6])
  expect((await read(3)).seqs).toEqual([1, 2, 3, 4, 5, 6])
})

test('a long conversation is not kept', async () => {
  const { pool, session, read, turn } = await open()
  await turn('x'.repeat(300_000))
  expect((await read()).seqs).toEqual([1, 2])
  await pool.db.$client.query('delete from events where stream_id = $1', [session])
  expect((await read()).seqs).toEqual([])
})
