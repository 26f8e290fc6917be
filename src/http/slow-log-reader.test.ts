import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { openListener } from '#db/listen.ts'
import { owner } from '#domain/access.ts'
import { openStreams } from '#events/streams.ts'
import { bareApp, serveApp } from '../../test/support/bare-app.ts'
import { seedExecution } from '../../test/support/execution-rows.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { executionLogsRoutes } from './execution-logs.ts'

const silent = pino({ level: 'silent' })
const chunk = Buffer.from('A line of a log that never ends, or so it seems to those who wait\n'.repeat(990))
const chunks = 800 // 50 MB
const megabyte = 1_048_576

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** What this process holds once everything that nobody holds is gone. */
function held(): number {
  collectGarbage()
  collectGarbage() // what the first one found is counted until the next one begins
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / megabyte
}

async function serve() {
  const pool = await freshPool()
  const listener = openListener(pool.url, silent)
  const streams = openStreams(pool.db, listener, silent)
  const app = bareApp()
  app.use(async (c, next) => {
    c.set('principal', owner)
    await next()
  })
  app.route('/', executionLogsRoutes({ pool, streams }))
  const served = await serveApp(app)
  onTestFinished(async () => {
    streams.close()
    await served.close()
    await listener.close()
  })
  const execution = await seedExecution(pool)
  const open = async (more: string): Promise<IncomingMessage> => {
    const request = get(`${served.url}/executions/${execution.id}/logs${more}`, { agent: false })
    const [response]: IncomingMessage[] = await once(request, 'response')
    return response!
  }
  return { pool, execution, streams, open }
}

/** Counts the bytes of a live log's content, and says whether it was told the end. */
async function readToEnd(response: IncomingMessage): Promise<{ content: number; done: boolean }> {
  let [content, rest, done] = [0, '', false]
  for await (const text of response.setEncoding('utf8')) {
    const blocks = (rest + String(text)).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.includes('event: done')) done = true
      const data = /^event: (?:log|catchup)\ndata: (.*)$/m.exec(block)?.[1]
      if (data) content += JSON.parse(data).content.length
    }
  }
  return { content, done }
}

test('a reader that does not read holds nobody up, holds little memory, and gets everything when it reads', async () => {
  const { execution, streams, open } = await serve()
  const lazy = await open('/stream')
  const brisk = readToEnd(await open('/stream'))
  const before = held()
  let most = 0
  for (let n = 0; n < chunks; n += 8) {
    await execution.say(...Array.from({ length: 8 }, (): ['stdout', Buffer] => ['stdout', chunk]))
    if (n % 80 === 0) most = Math.max(most, held() - before)
  }
  await execution.end()
  expect(await brisk).toEqual({ content: chunks * chunk.length, done: true })
  most = Math.max(most, held() - before)
  expect(most).toBeLessThan(15)
  expect(streams.readers).toBe(1) // not sent away
  expect(await readToEnd(lazy)).toEqual({ content: chunks * chunk.length, done: true })
}, 60_000)

test('a long log as text waits for its reader, and is no longer read when the reader has gone', async () => {
  const { pool, execution, open } = await serve()
  for (let n = 0; n < chunks / 2; n += 8)
    await execution.say(...Array.from({ length: 8 }, (): ['stdout', Buffer] => ['stdout', chunk]))
  const before = held()
  const readers = await Promise.all(Array.from({ length: 5 }, () => open('')))
  let statements = 0
  pool.db.$client.on('acquire', () => (statements += 1))
  const settled = async () => {
    const seen = statements
    await pool.db.$client.query('select pg_sleep(0.2)')
    return statements - seen
  }
  await expect.poll(settled, { timeout: 10_000 }).toBe(1) // its own: nobody else reads
  expect(held() - before).toBeLessThan(40)
  for (const reader of readers.slice(1)) reader.destroy()
  let received = 0
  for await (const data of readers[0]!) received += (data as Buffer).length
  expect(received).toBe((chunks / 2) * chunk.length)
  expect(statements).toBeLessThan(60)
}, 60_000)
