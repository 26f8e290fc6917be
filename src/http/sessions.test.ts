import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { Meta } from '#contract/answer.ts'
import { appendEvents } from '#db/events.ts'
import { openListener } from '#db/listen.ts'
import { sessions } from '#db/schema.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { openStreams } from '#events/streams.ts'
import { bareApp, serveApp } from '../../test/support/bare-app.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { sessionsRoutes } from './sessions.ts'

const appendTo = (pool: Pool, sessionId: string, amount: number, text = 'x') =>
  pool.transaction((tx) =>
    appendEvents(
      tx,
      sessionId,
      Array.from({ length: amount }, () => ({ type: 'data-notice', payload: { text } })),
    ),
  )

const Row = z.record(z.string(), z.unknown())
const Some = z.object({ data: z.array(Row).or(Row.transform((row) => [row])), meta: Meta.optional() })
type Pool = Awaited<ReturnType<typeof freshPool>>
const silent = pino({ level: 'silent' })
const her = asPrincipal({ id: 'her', name: 'Her', scopes: ['run'] })

async function serve() {
  const pool = await freshPool()
  const listener = openListener(pool.url, silent)
  const streams = openStreams(pool.db, listener, silent)
  const app = bareApp()
  let caller: Principal = owner
  app.use(async (c, next) => {
    c.set('principal', caller)
    await next()
  })
  app.route('/', sessionsRoutes({ pool, streams }))
  const served = await serveApp(app)
  onTestFinished(async () => {
    streams.close()
    await served.close()
    await listener.close()
  })
  const ask = (path: string, as: Principal = owner) => {
    caller = as
    return fetch(`${served.url}/sessions${path}`)
  }
  const read = async (path: string, as?: Principal) => Some.parse(await (await ask(path, as)).json())
  return { pool, streams, ask, read }
}

test('the owner sees every session, others their own, the busiest of late first, with how their last execution is', async () => {
  const { pool, read } = await serve()
  const first = await seedExecution(pool, { createdBy: 'her' })
  await first.end('failed', 1)
  const second = await seedExecution(pool, { createdBy: 'him' })
  await seedExecution(pool, { createdBy: 'her', sessionId: first.sessionId })
  const all = await read('')
  expect(all.meta).toEqual({ total: 2, page: 1, pageSize: 50 })
  expect(all.data.map(({ id, status, executions }) => [id, status, executions])).toEqual([
    [second.sessionId, 'running', 1],
    [first.sessionId, 'running', 2],
  ])
  const active = (rows: typeof all) => rows.data.map((row) => Date.parse(String(row['lastActivityAt'])))
  expect(active(all)[0]).toBeGreaterThan(active(all)[1]!)
  expect((await read('?pageSize=1&page=2')).data[0]?.['id']).toBe(first.sessionId)
  await appendTo(pool, first.sessionId, 1)
  const later = await read('')
  expect(later.data.map(({ id }) => id)).toEqual([first.sessionId, second.sessionId])
  expect(active(later)[0]).toBeGreaterThan(active(all)[0]!)
  const hers = await read('', her)
  expect([hers.meta?.total, hers.data[0]?.['id']]).toEqual([1, first.sessionId])
  expect((await read(`/${first.sessionId}`, her)).data).toEqual(hers.data)
})

test('events are read from the newest back, in order, to the very first', async () => {
  const { pool, read, ask } = await serve()
  const { sessionId } = await seedExecution(pool)
  const last = await appendTo(pool, sessionId, 25)
  const seqs = async (query: string) =>
    (await read(`/${sessionId}/events?${query}`)).data.map(({ seq }) => seq)
  const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)
  expect(await seqs('before=999999999999999&limit=10')).toEqual(numbers(last - 9, last))
  expect(await seqs(`before=${last - 9}&limit=10`)).toEqual(numbers(last - 19, last - 10))
  expect(await seqs('before=3')).toEqual([1, 2])
  expect(await seqs('before=1')).toEqual([])
  expect(await seqs('after=2&limit=2')).toEqual([3, 4])
  expect((await ask(`/${sessionId}/events?before=5&after=1`)).status).toBe(422)
  expect((await ask(`/${sessionId}/events?before=x`)).status).toBe(422)
})

test('a page back holds what fits into it, however long one event is', async () => {
  const { pool, read } = await serve()
  const { sessionId } = await seedExecution(pool)
  const last = await appendTo(pool, sessionId, 4, 'x'.repeat(1_500_000))
  const page = await read(`/${sessionId}/events?before=${last + 1}`)
  expect(page.data.map(({ seq }) => seq)).toEqual([last - 1, last])
})

test('what others opened does not exist, and without run, board and chat nothing does', async () => {
  const { pool, streams, ask } = await serve()
  const { sessionId } = await seedExecution(pool, { createdBy: 'him' })
  for (const more of ['', '/events', '/stream']) {
    expect((await ask(`/${sessionId}${more}`, her)).status).toBe(404)
    expect((await ask(`/${sessionId}${more}`, { ...her, id: 'him', scopes: ['code'] })).status).toBe(403)
  }
  expect((await ask('', { ...her, scopes: ['code'] })).status).toBe(403)
  expect(streams.readers).toBe(0)
})

test('what is in the trash is listed on its own', async () => {
  const { pool, read, ask } = await serve()
  const kept = await seedExecution(pool)
  const gone = await seedExecution(pool)
  await pool.db.update(sessions).set({ trashedAt: new Date() }).where(eq(sessions.id, gone.sessionId))
  const idsIn = async (path: string) => (await read(path)).data.map(({ id }) => id)
  expect(await idsIn('')).toEqual([kept.sessionId])
  expect(await idsIn('?trashed=true')).toEqual([gone.sessionId])
  expect((await ask(`/${gone.sessionId}`)).status).toBe(200)
  expect((await ask('?trashed=perhaps')).status).toBe(422)
})

test('events are read from a place on, as many as asked for and as fit', async () => {
  const { pool, read, ask } = await serve()
  const execution = await seedExecution(pool)
  for (let n = 0; n < 60; n++) await execution.say(['stdout', Buffer.alloc(65_536, n)])
  const some = await read(`/${execution.sessionId}/events?after=2&limit=3`)
  expect(some.data.map((event) => event['seq'])).toEqual([3, 4, 5])
  expect(some.data[0]).toEqual({
    seq: 3,
    executionId: execution.id,
    type: 'data-terminal',
    payload: { stream: 'stdout', chunk: expect.any(String) },
    at: expect.any(String),
  })
  let [after, pages] = [0, 0]
  for (;;) {
    const answer = await (await ask(`/${execution.sessionId}/events?after=${after}&limit=1000`)).text()
    expect(answer.length).toBeLessThan(2_400_000)
    const { data } = JSON.parse(answer)
    if (data.length === 0) break
    expect(data[0].seq).toBe(after + 1)
    after = data.at(-1).seq
    pages += 1
  }
  expect([after, pages > 1]).toEqual([60, true])
  expect((await ask(`/${execution.sessionId}/events?limit=1001`)).status).toBe(422)
})

test('a session is followed live, and resumed', async () => {
  const { pool, ask } = await serve()
  const execution = await seedExecution(pool)
  await execution.say(['stdout', 'before'])
  const reader = (await ask(`/${execution.sessionId}/stream?after=0`))
    .body!.pipeThrough(new TextDecoderStream())
    .getReader()
  let text = ''
  const until = async (wanted: string) => {
    while (!text.includes(wanted)) text += (await reader.read()).value
  }
  await until('id: 1\ndata: {"seq":1')
  await execution.change('cancelling')
  await until('"payload":{"status":"cancelling"}')
  expect(text.match(/^id: .*/gm)).toEqual(['id: 0', 'id: 1', 'id: 2'])
  await reader.cancel()
})
