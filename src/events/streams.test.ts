import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { BOARD_STREAM } from '#contract/event.ts'
import { appendEvents } from '#db/events.ts'
import { openListener } from '#db/listen.ts'
import type { DatabasePool } from '#db/pool.ts'
import { tellRevoked } from '#db/tokens.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { readLogBytes, textOf } from '../../test/support/log-events.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { openAppender } from './appender.ts'
import { openStreams } from './streams.ts'

const silent = pino({ level: 'silent' })
const never = { heartbeatMs: 3_600_000, lookMs: 3_600_000 }

async function open(rhythm?: { heartbeatMs: number; lookMs: number }) {
  const pool = await freshPool()
  const listener = openListener(pool.url, silent)
  const connected = new Promise<void>((resolve) => listener.onReconnect(resolve))
  const streams = openStreams(pool.db, listener, silent, rhythm)
  await connected
  onTestFinished(async () => {
    streams.close()
    await listener.close()
  })
  return { pool, streams }
}

const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ type: 'test', payload: { n: from + index } }))

const append = (pool: DatabasePool, from: number, count: number) =>
  pool.transaction((tx) => appendEvents(tx, BOARD_STREAM, numbered(from, count)))

/** Reads until `count` events have come, or the stream ends. */
async function take(bytes: ReadableStream<Uint8Array>, count: number): Promise<{ seq: number; n: number }[]> {
  const seen: { seq: number; n: number }[] = []
  let rest = ''
  const reader = bytes.pipeThrough(new TextDecoderStream()).getReader()
  while (seen.length < count) {
    const { value, done } = await reader.read()
    if (done) break
    const blocks = (rest + value).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (!data || block.includes('event: ready')) continue
      const { seq, payload } = JSON.parse(data)
      seen.push({ seq, n: payload.n })
    }
  }
  await reader.cancel()
  return seen
}

const straight = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ seq: from + index, n: from + index }))

test('readers anywhere in the stream get every event once and in order while it grows', async () => {
  const { pool, streams } = await open()
  await append(pool, 1, 3_000)
  const readers = [0, 1, 1_499, 2_999, 3_000].map(async (after) => ({
    after,
    seen: await take(await streams.open(BOARD_STREAM, { after: after }), 6_000 - after),
  }))
  for (let from = 3_001; from <= 6_000; from += 100) await append(pool, from, 100)
  for (const { after, seen } of await Promise.all(readers))
    expect(seen).toEqual(straight(after + 1, 6_000 - after))
})

test('without a place to resume from, a reader starts at the end and is told where that is', async () => {
  const { pool, streams } = await open()
  await append(pool, 1, 10)
  const bytes = await streams.open(BOARD_STREAM)
  const reader = bytes.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(
    'id: 10\nevent: ready\ndata: {"seq":10}\n\n',
  )
  await append(pool, 11, 1)
  expect(new TextDecoder().decode((await reader.read()).value)).toContain('"payload":{"n":11}')
  await reader.cancel()
})

test('a reader that does not read is dropped, what it had is whole, and it resumes without a gap', async () => {
  const { pool, streams } = await open()
  const lazy = await streams.open(BOARD_STREAM, { after: 0 })
  const bulky = { type: 'test', payload: { n: 1, filler: 'x'.repeat(100_000) } }
  for (let n = 1; n <= 40; n++)
    await pool.transaction((tx) =>
      appendEvents(tx, BOARD_STREAM, [{ ...bulky, payload: { ...bulky.payload, n } }]),
    )
  await expect.poll(() => streams.readers).toBe(0)
  const first = await take(lazy, 40)
  expect(first.length).toBeGreaterThan(5)
  expect(first.length).toBeLessThan(40)
  const second = await take(await streams.open(BOARD_STREAM, { after: first.length }), 40 - first.length)
  expect([...first, ...second]).toEqual(straight(1, 40))
})

/** Streams that hear nothing until they are told to look. */
async function openDeaf() {
  const pool = await freshPool()
  const ears = new Map<string, (payload: string) => void>()
  const ends = () => undefined
  const deaf = {
    on: (channel: string, heard: (payload: string) => void) => {
      ears.set(channel, heard)
      return ends
    },
    onReconnect: () => ends,
    close: async () => undefined,
  }
  const streams = openStreams(pool.db, deaf, silent, never)
  onTestFinished(() => streams.close())
  return { pool, streams, look: (streamId = BOARD_STREAM) => ears.get('events')?.(`${streamId}:1`) }
}

test('one wake-up is enough for any number of events', async () => {
  const { pool, streams, look } = await openDeaf()
  const reading = take(await streams.open(BOARD_STREAM, { after: 0 }), 2_500)
  await append(pool, 1, 2_500)
  look()
  expect(await reading).toEqual(straight(1, 2_500))
})

test('one wake-up is enough for any amount of output', async () => {
  const { pool, streams, look } = await openDeaf()
  const execution = await seedExecution(pool)
  const large = Buffer.alloc(65_536, 'x')
  let heard = 0
  const reading = readLogBytes(await streams.openLog(execution), (events) => {
    heard = textOf(events).length
    return heard === 100 * large.length
  })
  await execution.say(['stdout', 'x'.repeat(large.length)])
  look(execution.sessionId)
  await expect.poll(() => heard).toBe(large.length) // from here on it reads at the end
  await execution.say(...Array.from({ length: 99 }, (): ['stdout', Buffer] => ['stdout', large]))
  look(execution.sessionId)
  expect((await reading).text).toHaveLength(100 * large.length)
})

test('a reader that is ahead of the others is not told twice', async () => {
  const { pool, streams, look } = await openDeaf()
  const first = take(await streams.open(BOARD_STREAM, { after: 0 }), 10)
  await append(pool, 1, 10)
  const ahead = take(await streams.open(BOARD_STREAM, { after: 5 }), 5)
  look()
  expect(await first).toEqual(straight(1, 10))
  expect(await ahead).toEqual(straight(6, 5))
})

test('what was removed from the middle or the end of a stream holds no reader up', async () => {
  const { pool, streams } = await open(never)
  await append(pool, 1, 10)
  await pool.db.$client.query('delete from events where seq in (2, 3, 9, 10)')
  const reading = take(await streams.open(BOARD_STREAM, { after: 0 }), 7)
  let statements = 0
  pool.db.$client.on('acquire', () => (statements += 1))
  const others = async () => {
    const before = statements
    await pool.db.$client.query('select pg_sleep(0.1)')
    return statements - before - 1
  }
  await expect.poll(others).toBe(0) // it is at the end, and does not look for what is gone
  await append(pool, 11, 1)
  expect((await reading).map(({ seq }) => seq)).toEqual([1, 4, 5, 6, 7, 8, 11])
})

test('a payload that somebody stored over several lines stays one line for its readers', async () => {
  const { pool, streams } = await open()
  await pool.db.$client.query(
    "insert into events (stream_id, seq, type, payload) values ($1, 1, 'odd', E'{\\n\"n\":\\r\\n7}')",
    [BOARD_STREAM],
  )
  await pool.db.$client.query('update streams set last_seq = 1 where id = $1', [BOARD_STREAM])
  expect(await take(await streams.open(BOARD_STREAM, { after: 0 }), 1)).toEqual([{ seq: 1, n: 7 }])
})

test('a lost LISTEN connection loses no event: readers are sent away to show their tokens again, and resume', async () => {
  const { pool, streams } = await open(never)
  const seen: { seq: number; n: number }[] = []
  const reading = (async () => {
    while (seen.length < 30)
      seen.push(...(await take(await streams.open(BOARD_STREAM, { after: seen.length }), 30 - seen.length)))
  })()
  for (let n = 1; n <= 30; n++) {
    await append(pool, n, 1)
    if (n % 10 === 5)
      await pool.db.$client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'signalbox listen' and datname = current_database()",
      )
  }
  await reading
  expect(seen).toEqual(straight(1, 30))
})

test('silence is broken by a heartbeat, which also ends what has expired', async () => {
  const { streams } = await open({ heartbeatMs: 20, lookMs: 3_600_000 })
  const reader = (await streams.open(BOARD_STREAM)).getReader()
  await reader.read()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe(': alive\n\n')
  await reader.cancel()
  const expired = await streams.open(BOARD_STREAM, { until: new Date(Date.now() - 1) })
  expect(await take(expired, 1)).toEqual([])
})

test('a reader that joins while the last one leaves is not left behind', async () => {
  const { pool, streams } = await open(never)
  await append(pool, 1, 5)
  for (let round = 0; round < 50; round++) {
    const leaving = await streams.open(BOARD_STREAM, { after: 0 })
    const from = 5 + round
    const [joined] = await Promise.all([streams.open(BOARD_STREAM, { after: from }), leaving.cancel()])
    await append(pool, from + 1, 1)
    expect(await take(joined, 1)).toEqual(straight(from + 1, 1))
  }
  await expect.poll(() => streams.readers).toBe(0)
})

test('a reader that hung up before it was served is not kept', async () => {
  const { streams } = await open()
  const gone = new AbortController()
  const opening = streams.open(BOARD_STREAM, { signal: gone.signal })
  gone.abort()
  await opening
  const later = new AbortController()
  await streams.open(BOARD_STREAM, { signal: later.signal })
  expect(streams.readers).toBe(1)
  later.abort()
  expect(streams.readers).toBe(0)
})

test('a revoked token ends the streams of its principal, and nobody else’s', async () => {
  const { pool, streams } = await open()
  const hers = await streams.open(BOARD_STREAM, { whose: 'her' })
  const his = take(await streams.open(BOARD_STREAM, { whose: 'him' }), 1)
  await tellRevoked(pool.db, 'her')
  expect(await take(hers, 1)).toEqual([])
  await append(pool, 1, 1)
  expect(await his).toEqual(straight(1, 1))
})

test('a place that the stream has not reached is refused', async () => {
  const { pool, streams } = await open()
  await append(pool, 1, 5)
  await expect(streams.open(BOARD_STREAM, { after: 6 })).rejects.toThrow('it is at 5')
  await expect(streams.open('00000000-0000-7000-8000-00000000ffff')).rejects.toThrow('No stream')
})

test('writers of one stream share its numbers without a gap, and one batch makes one record of many tokens', async () => {
  const { pool, streams } = await open()
  const appender = openAppender(pool)
  const reading = take(await streams.open(BOARD_STREAM, { after: 0 }), 500)
  await Promise.all(
    Array.from({ length: 50 }, (_, writer) =>
      writer % 2 ? append(pool, 0, 10) : appender.append(BOARD_STREAM, numbered(0, 10)),
    ),
  )
  expect((await reading).map((event) => event.seq)).toEqual(
    Array.from({ length: 500 }, (_, index) => index + 1),
  )
  const delta = (text: string) => ({ type: 'text-delta', payload: { id: '1', delta: text } })
  await Promise.all(['a', 'b', 'c'].map((text) => appender.append(BOARD_STREAM, [delta(text)])))
  const { rows } = await pool.db.$client.query("select payload from events where type = 'text-delta'")
  expect(rows).toEqual([{ payload: { id: '1', delta: 'abc' } }])
  await appender.close()
})

test('what was not committed is not acknowledged', async () => {
  const { pool } = await open()
  const appender = openAppender(pool)
  await expect(appender.append('00000000-0000-7000-8000-00000000ffff', numbered(1, 1))).rejects.toThrow(
    'No stream',
  )
  await appender.append(BOARD_STREAM, numbered(1, 1))
})

test('payloads that jsonb would refuse come through as they were', async () => {
  const { pool, streams } = await open()
  const odd = { n: 1, text: 'nul \u0000 lone \ud800 line\nbreak' }
  await pool.transaction((tx) => appendEvents(tx, BOARD_STREAM, [{ type: 'odd', payload: odd }]))
  const reader = (await streams.open(BOARD_STREAM, { after: 0 })).getReader()
  await reader.read()
  const text = new TextDecoder().decode((await reader.read()).value)
  expect(JSON.parse(/^data: (.*)$/m.exec(text)![1]!).payload).toEqual(odd)
  await reader.cancel()
})
