import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { NewEvent } from '#contract/event.ts'
import { newId } from '#lib/id.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { readChatEvents } from './chat-events.ts'
import { appendEvents, readEvents } from './events.ts'
import { readOutput } from './output.ts'
import { packEvents } from './packed.ts'

type Pool = Awaited<ReturnType<typeof freshPool>>

test('what was said at length takes a third of the room, and everybody reads it as it was', async () => {
  const pool = await freshPool()
  const executionId = newId()
  const session = await sessionOf(pool, await conversation(executionId))
  const place = { sessionId: session, executionId }
  const read = async () => ({
    stream: (await readEvents(pool.db, session, 0, 1_000)).events,
    chat: await readChatEvents(pool.db, session, 0, 1_000),
    output: await readOutput(pool.db, place, 0, 1_000, ['tool-output-available', 'text-delta']),
  })
  const [before, size] = [await read(), await sizesOf(pool, session)]
  expect(before.stream.length).toBeGreaterThan(10)
  for (const event of Object.values(before).flat()) expect(event).not.toHaveProperty('packed')
  expect(await packEvents(pool, { sessionId: session, firstSeq: 1, lastSeq: 1_000 })).toBe(9)
  const after = await sizesOf(pool, session)
  expect(await read()).toEqual(before)
  expect(after.text).toBeLessThan(size.text / 3)
  expect(after.stored).toBeLessThan(size.stored)
  // Once more it finds nothing to do.
  expect(await packEvents(pool, { sessionId: session, firstSeq: 1, lastSeq: 1_000 })).toBe(0)
  expect(await read()).toEqual(before)
})

test('only what lies in the turn is packed, and nothing that is short or looked for', async () => {
  const pool = await freshPool()
  const executionId = newId()
  const long = 'many words '.repeat(500)
  const session = await sessionOf(pool, [
    { type: 'tool-output-available', payload: { toolCallId: 'a', output: long }, executionId },
    { type: 'data-message', payload: { text: long, files: [] }, executionId },
    { type: 'text-delta', payload: { id: 't', delta: 'short' }, executionId },
    { type: 'tool-output-error', payload: { toolCallId: 'c', errorText: long }, executionId },
    { type: 'tool-output-available', payload: { toolCallId: 'd', output: long }, executionId },
  ])
  await packEvents(pool, { sessionId: session, firstSeq: 2, lastSeq: 4 })
  const { rows } = await pool.db.$client.query<{ seq: number }>(
    'select seq from events where stream_id = $1 and packed is not null order by seq',
    [session],
  )
  expect(rows.map(({ seq }) => seq)).toEqual([4])
})

test('a page is as large as what is read, not as what is kept', async () => {
  const pool = await freshPool()
  const executionId = newId()
  const output = 'x'.repeat(1_000_000)
  const session = await sessionOf(
    pool,
    [1, 2, 3, 4].map((n) => ({
      type: 'tool-output-available',
      payload: { toolCallId: `c${n}`, output },
      executionId,
    })),
  )
  const before = await readEvents(pool.db, session, 0, 10)
  await packEvents(pool, { sessionId: session, firstSeq: 1, lastSeq: 4 })
  const after = await readEvents(pool.db, session, 0, 10)
  expect(after.events.map(({ seq }) => seq)).toEqual(before.events.map(({ seq }) => seq))
  expect(after.events.length).toBeLessThan(4)
})

/** What a person asks of a model that reads files, as it stands in the log. */
async function conversation(executionId: string): Promise<NewEvent[]> {
  const folder = import.meta.dirname
  const names = ['events.ts', 'executions.ts', 'listen.ts', 'migrate.ts', 'sessions.ts', 'schema.ts']
  const reads = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const answer = `The log is one table. ${'Each stream has its own count, which only Postgres moves on. '.repeat(30)}`
  const of = (type: string, payload: object): NewEvent => ({ type, payload, executionId })
  return [
    of('data-message', { text: 'How does the log work?', files: [] }),
    of('start-step', {}),
    ...reads.flatMap((output, n) => [
      of('tool-input-available', { toolCallId: `r${n}`, toolName: 'read', input: { path: names[n] } }),
      of('tool-output-available', { toolCallId: `r${n}`, output }),
    ]),
    of('tool-input-available', { toolCallId: 'w', toolName: 'write', input: { path: 'a', text: reads[0] } }),
    of('tool-output-error', { toolCallId: 'w', errorText: `It is not allowed: ${reads[1]}` }),
    of('finish-step', {}),
    of('text-start', { id: 't' }),
    of('text-delta', { id: 't', delta: answer }),
    of('text-end', { id: 't' }),
  ]
}

async function sessionOf(pool: Pool, events: readonly NewEvent[]): Promise<string> {
  const session = newId()
  await pool.db.$client.query('insert into streams (id) values ($1)', [session])
  await pool.transaction((tx) => appendEvents(tx, session, events))
  return session
}

/** In characters, and as Postgres keeps them, which packs long ones by itself. */
async function sizesOf(pool: Pool, session: string): Promise<{ text: number; stored: number }> {
  const { rows } = await pool.db.$client.query<{ text: number; stored: number }>(
    `select sum(size + coalesce(octet_length(packed), 0))::int as text,
       sum(pg_column_size(payload) + coalesce(pg_column_size(packed), 0))::int as stored
     from events where stream_id = $1`,
    [session],
  )
  return rows[0] ?? { text: 0, stored: 0 }
}
