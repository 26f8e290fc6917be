import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import { executions } from '#db/schema.ts'
import { openListener } from '#db/listen.ts'
import { asPrincipal, owner } from '#domain/access.ts'
import { openStreams } from '#events/streams.ts'
import { bareApp, serveApp } from '../../test/support/bare-app.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { readLog } from '../../test/support/log-events.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { executionLogsRoutes } from './execution-logs.ts'

const silent = pino({ level: 'silent' })

async function serve(principal: Principal = owner) {
  const pool = await freshPool()
  const listener = openListener(pool.url, silent)
  const streams = openStreams(pool.db, listener, silent)
  const app = bareApp()
  const caller = { current: principal }
  app.use(async (c, next) => {
    c.set('principal', caller.current)
    await next()
  })
  app.route('/', executionLogsRoutes({ pool, streams }))
  const served = await serveApp(app)
  onTestFinished(async () => {
    streams.close()
    await served.close()
    await listener.close()
  })
  const logs = (id: string, more = '') => `${served.url}/executions/${id}/logs${more}`
  return { pool, streams, logs, caller }
}

test('what was said is read byte for byte, in order, whatever it is', async () => {
  const { pool, logs } = await serve()
  const execution = await seedExecution(pool)
  const every = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 7) & 255)
  await execution.say(['stdout', 'one\n'], ['stderr', '\u001b[31mtwo\u001b[0m\n'], ['system', 'three\n'])
  for (let n = 0; n < 60; n++) await execution.say(['stdout', every])
  const answer = await fetch(logs(execution.id))
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(answer.headers.get('content-disposition')).toBeNull()
  const said = Buffer.from(await answer.arrayBuffer())
  const expected = Buffer.concat([
    Buffer.from('one\n\u001b[31mtwo\u001b[0m\nthree\n'),
    ...Array.from({ length: 60 }, () => every),
  ])
  expect(said.equals(expected)).toBe(true)
  const saved = await fetch(logs(execution.id, '?download=1'), { method: 'HEAD' })
  expect(saved.headers.get('content-disposition')).toBe(
    `attachment; filename="execution-${execution.id}.log"`,
  )
  expect(await saved.text()).toBe('')
})

test('a log is what its own execution said, not its neighbours in the session', async () => {
  const { pool, logs } = await serve()
  const first = await seedExecution(pool)
  await first.say(['stdout', 'first'])
  await first.end()
  const second = await seedExecution(pool, { sessionId: first.sessionId })
  await second.say(['stdout', 'second'])
  await second.end('failed', 3, 'Exited with code 3')
  await pool.db.update(executions).set({ firstSeq: 0 }) // wherever it began
  expect(await (await fetch(logs(first.id))).text()).toBe('first')
  expect(await (await fetch(logs(second.id))).text()).toBe('second')
  const log = await readLog(logs(second.id, '/stream'))
  expect(log.events.map(({ name, data }) => [name, data])).toEqual([
    ['status', { status: 'failed' }],
    ['catchup', { content: 'second', stream: 'stdout' }],
    ['done', { status: 'failed', exitCode: 3, error: 'Exited with code 3' }],
  ])
})

test('others do not know that it exists, and a token without run and board learns nothing', async () => {
  const { pool, logs, caller } = await serve()
  const her = asPrincipal({ id: 'her', name: 'Her', scopes: ['run'] })
  const execution = await seedExecution(pool, { createdBy: 'her' })
  await execution.say(['stdout', 'hers'])
  await execution.end()
  const statuses = async () => [
    (await fetch(logs(execution.id))).status,
    (await fetch(logs(execution.id), { method: 'HEAD' })).status,
    (await fetch(logs(execution.id, '/stream'))).status,
  ]
  caller.current = her
  expect(await statuses()).toEqual([200, 200, 200])
  caller.current = { ...her, id: 'him' }
  expect(await statuses()).toEqual([404, 404, 404])
  caller.current = { ...her, scopes: ['chat'] }
  expect(await statuses()).toEqual([403, 403, 403])
})

test('output that was removed is said to be removed, and when', async () => {
  const { pool, logs } = await serve()
  const execution = await seedExecution(pool)
  await execution.end()
  const outputRemovedAt = new Date('2026-01-02T03:04:05Z')
  await pool.db.update(executions).set({ outputRemovedAt })
  for (const more of ['', '/stream']) {
    const answer = await fetch(logs(execution.id, more))
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      error: { code: 'output_removed', context: { removedAt: '2026-01-02T03:04:05.000Z' } },
    })
  }
})

test('HEAD opens no stream, and those who hang up are not kept', async () => {
  const { pool, logs, streams } = await serve()
  const execution = await seedExecution(pool)
  await fetch(logs(execution.id, '/stream'), { method: 'HEAD' })
  expect(streams.readers).toBe(0)
  const answer = await fetch(logs(execution.id, '/stream'))
  expect(streams.readers).toBe(1)
  await answer.body?.cancel()
  await expect.poll(() => streams.readers).toBe(0)
})

test('a log that is removed while it is read does not look complete', async () => {
  const { pool, logs } = await serve()
  const execution = await seedExecution(pool)
  const large = Buffer.alloc(65_536, 'x')
  for (let n = 0; n < 80; n++) await execution.say(['stdout', large])
  await execution.end()
  const answer = await fetch(logs(execution.id))
  await pool.db.update(executions).set({ outputRemovedAt: new Date() })
  await expect(answer.arrayBuffer()).rejects.toThrow('terminated')
})
