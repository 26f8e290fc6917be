import pg from 'pg'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { LogStream } from '#contract/execution.ts'
import { appendEvents, readEvents } from '#db/events.ts'
import { openListener } from '#db/listen.ts'
import { readOutput } from '#db/output.ts'
import { events, executions } from '#db/schema.ts'
import { tellRevoked } from '#db/tokens.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { readLogBytes } from '../../test/support/log-events.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { CharacterJoiner } from './characters.ts'
import { openStreams } from './streams.ts'

const silent = pino({ level: 'silent' })
const never = { heartbeatMs: 3_600_000, lookMs: 3_600_000 }

async function open(rhythm = never) {
  const pool = await freshPool()
  const listener = openListener(pool.url, silent)
  const connected = new Promise<void>((resolve) => listener.onReconnect(resolve))
  const streams = openStreams(pool.db, listener, silent, rhythm)
  await connected
  onTestFinished(async () => {
    streams.close()
    await listener.close()
  })
  return { pool, streams, execution: await seedExecution(pool) }
}

const said = (events: { name: string; data: unknown }[]) => events.map(({ name, data }) => [name, data])

test('what was there, what comes, how it stands and how it ended, in this order', async () => {
  const { streams, execution } = await open()
  await execution.change('running')
  await execution.say(['stdout', 'was '], ['stderr', 'there\n'])
  let heard = 0
  const reading = readLogBytes(await streams.openLog(execution), (events) => {
    heard = events.length
    return false
  })
  const hear = async (count: number) => await expect.poll(() => heard).toBe(count)
  await hear(3)
  await execution.say(['stdout', 'comes'])
  await hear(4)
  await execution.change('cancelling')
  await hear(5)
  await execution.say(['stdout', 'a'], ['stdout', 'b'], ['stderr', 'c'], ['system', 'd'])
  await hear(8)
  await execution.end('cancelled', null, 'Cancelled')
  const { events } = await reading
  expect(said(events)).toEqual([
    ['status', { status: 'running' }],
    ['catchup', { content: 'was ', stream: 'stdout' }],
    ['catchup', { content: 'there\n', stream: 'stderr' }],
    ['log', { content: 'comes', stream: 'stdout' }],
    ['status', { status: 'cancelling' }],
    ['log', { content: 'ab', stream: 'stdout' }],
    ['log', { content: 'c', stream: 'stderr' }],
    ['log', { content: 'd', stream: 'system' }],
    ['status', { status: 'cancelled' }],
    ['done', { status: 'cancelled', exitCode: null, error: 'Cancelled' }],
  ])
  expect(streams.readers).toBe(0)
})

const half = Buffer.from('€')
/** A log in which characters are cut between chunks, also around what the other stream says. */
const awkward: [LogStream, Buffer][] = [
  ['stdout', Buffer.from('plain ')],
  ['stdout', half.subarray(0, 1)],
  ['stderr', half.subarray(0, 2)],
  ['stdout', half.subarray(1, 2)],
  ['stdout', half.subarray(2)],
  ['stderr', half.subarray(2)],
  ['stderr', Buffer.from([0xff, 0xfe])],
  ['system', Buffer.from('🚂').subarray(0, 3)],
  ...Array.from({ length: 20 }, (_, n): [LogStream, Buffer] => ['stdout', Buffer.from(`${n} `)]),
  ['system', Buffer.from('🚂').subarray(3)],
  ['stdout', half.subarray(0, 2)],
]

test('resumed at any place, ended or live, it goes on exactly there', async () => {
  const { streams, execution } = await open()
  const joiner = new CharacterJoiner()
  /** What has been handed out up to each seq. */
  const upTo = ['', ...awkward.map(([stream, bytes]) => joiner.take(stream, bytes))]
  for (let seq = 1; seq < upTo.length; seq++) upTo[seq] = upTo[seq - 1]! + upTo[seq]!
  const whole = `${upTo.at(-1)}\ufffd`
  expect(whole).toContain('plain €€\ufffd\ufffd0 1')

  const live = Array.from({ length: 5 }, async () => readLogBytes(await streams.openLog(execution)))
  for (const chunk of awkward) await execution.say(chunk)
  const midway = awkward.map(async (_, seq) => readLogBytes(await streams.openLog(execution, { after: seq })))
  const end = await execution.end()
  for (const reading of live) expect((await reading).text).toBe(whole)
  for (const [seq, reading] of midway.entries()) expect(upTo[seq] + (await reading).text).toBe(whole)
  for (let seq = 0; seq < end; seq++) {
    const { events, text } = await readLogBytes(await streams.openLog(execution, { after: seq }))
    expect([seq, upTo[seq] + text]).toEqual([seq, whole])
    expect(events.at(-1)?.name).toBe('done')
  }
  const { events } = await readLogBytes(await streams.openLog(execution, { after: end }))
  expect(events.map(({ name }) => name)).toEqual(['status', 'done'])
})

test('the ids on the way are places from which nothing is doubled and nothing missed', async () => {
  const { streams, execution } = await open()
  const first = readLogBytes(await streams.openLog(execution))
  for (const chunk of awkward) await execution.say(chunk)
  await execution.end()
  const { events, text } = await first
  for (const [index, { id }] of events.entries()) {
    const before = events
      .slice(0, index + 1)
      .map(({ data }) => data.content ?? '')
      .join('')
    const { text: rest } = await readLogBytes(await streams.openLog(execution, { after: id ?? 0 }))
    expect(before + rest).toBe(text)
  }
})

test('a place that its stream has not reached is refused', async () => {
  const { streams, execution } = await open()
  await execution.say(['stdout', 'x'])
  await expect(streams.openLog(execution, { after: 2 })).rejects.toThrow('it is at 1')
  await expect(streams.openLog({ ...execution, id: execution.sessionId })).rejects.toThrow('No execution')
  expect(streams.readers).toBe(0)
})

test('a long log comes in pieces of at most 256 KB, each with its place', async () => {
  const { streams, execution } = await open()
  for (let n = 0; n < 40; n++) await execution.say(['stdout', Buffer.alloc(65_536, 97 + (n % 26))])
  await execution.end()
  const { events, text } = await readLogBytes(await streams.openLog(execution))
  const pieces = events.filter(({ name }) => name === 'catchup')
  expect(Math.max(...pieces.map(({ data }) => data.content.length))).toBe(262_144)
  expect(pieces.at(-1)?.id).toBe(40)
  expect(text).toHaveLength(40 * 65_536)
})

test('silence is broken by a heartbeat, and a revoked token ends the log', async () => {
  const { pool, streams, execution } = await open({ heartbeatMs: 20, lookMs: 3_600_000 })
  const reader = (await streams.openLog(execution, { whose: 'her' })).getReader()
  await reader.read()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(': alive\n\n')
  await tellRevoked(pool.db, 'her')
  await expect.poll(() => streams.readers).toBe(0)
})

test('the database away in between ends the bytes without a word, and what is missing comes when it is back', async () => {
  const { pool, streams, execution } = await open()
  for (let n = 0; n < 100; n++) await execution.say(['stdout', Buffer.alloc(65_536, 97 + (n % 26))])
  await execution.end()
  const admin = new pg.Client({ connectionString: pool.url })
  await admin.connect()
  onTestFinished(() => admin.end())
  const bytes = await streams.openLog(execution)
  await admin.query('begin; lock table events in access exclusive mode')
  const reading = readLogBytes(bytes)
  const cut = async () => {
    const { rowCount } = await admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rowCount
  }
  await expect.poll(cut).toBe(1)
  const { events: heard, text } = await reading
  await admin.query('rollback')
  expect(heard.map(({ name }) => name)).toEqual(expect.not.arrayContaining(['done', 'error']))
  expect(text.length).toBeLessThan(100 * 65_536)
  const { text: rest, events: more } = await readLogBytes(
    await streams.openLog(execution, { after: heard.at(-1)?.id }),
  )
  expect((text + rest).length).toBe(100 * 65_536)
  expect(more.at(-1)?.name).toBe('done')
})

test('what can never be read is said, not tried for ever', async () => {
  const { pool, streams, execution } = await open()
  await execution.say(['stdout', 'good'])
  await pool.db.$client.query(
    `insert into events (stream_id, seq, type, payload, execution_id)
     values ($1, 2, 'data-terminal', '{"stream":"stdout"}', $2)`,
    [execution.sessionId, execution.id],
  )
  await pool.db.$client.query('update streams set last_seq = 2 where id = $1', [execution.sessionId])
  const { events } = await readLogBytes(await streams.openLog(execution))
  expect(events.at(-1)).toMatchObject({ name: 'error', data: { message: expect.any(String) } })
})

test('output that is removed while it is read is said to be gone, not to be done', async () => {
  const { pool, streams, execution } = await open()
  for (let n = 0; n < 100; n++) await execution.say(['stdout', Buffer.alloc(65_536, 'x')])
  await execution.end()
  const bytes = await streams.openLog(execution)
  await pool.db.update(executions).set({ outputRemovedAt: new Date() })
  await pool.db.delete(events)
  const { events: heard } = await readLogBytes(bytes)
  expect(heard.at(-1)).toMatchObject({ name: 'error', data: { message: expect.stringContaining('removed') } })
})

test('a page holds about 2 MB at most, and always an event', async () => {
  const { pool, execution } = await open()
  const place = { sessionId: execution.sessionId, executionId: execution.id }
  for (let n = 0; n < 50; n++) await execution.say(['stdout', Buffer.alloc(65_536)])
  expect(await readOutput(pool.db, place, 0, 50, ['data-terminal'])).toHaveLength(24)
  expect((await readEvents(pool.db, execution.sessionId, 0, 1_000)).events).toHaveLength(24)
  await pool.transaction((tx) =>
    appendEvents(tx, execution.sessionId, [{ type: 'large', payload: 'x'.repeat(3_000_000) }]),
  )
  expect((await readEvents(pool.db, execution.sessionId, 50, 1_000)).events).toHaveLength(1)
})
