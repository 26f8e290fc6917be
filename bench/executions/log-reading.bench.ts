import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import type { NewEvent } from '#contract/event.ts'
import { appendEvents } from '#db/events.ts'
import { openPool } from '#db/pool.ts'
import type { DatabasePool } from '#db/pool.ts'
import { executions, machines, sessions, streams } from '#db/schema.ts'
import { newId } from '#lib/id.ts'
import type { Figure } from '../figure.ts'
import { startProduct } from '../support/product.ts'
import { logText } from './log-text.ts'

const chunks = 1_600
const chunkBytes = 65_536
const megabytes = (chunks * chunkBytes) / 1_048_576

/** A log of 100 MB that lies in the database: how fast one reader gets it, as text and live. */
export default async function logReading(): Promise<Figure[]> {
  const product = await startProduct()
  const pool = openPool(product.databaseUrl, { max: 1 })
  try {
    const started = performance.now()
    const { id, sessionId } = await writeLog(pool)
    const written = megabytes / ((performance.now() - started) / 1000)
    const address = `${product.url}/api/v1/executions/${id}/logs`
    const select = () => plainSelect(product.databaseUrl, sessionId)
    await select() // whoever reads first also writes what the inserts left to do
    const live = await read(`${address}/stream`, product.token)
    const text = await read(address, product.token)
    const peer = { name: 'plain SELECT', value: await select() }
    const target = { least: 20 }
    return [
      { name: '100 MB log → reader, live', ours: live, unit: 'MB/s', target, peer },
      { name: '100 MB log → reader, as text', ours: text, unit: 'MB/s', target, peer },
      { name: '100 MB log written', ours: written, unit: 'MB/s' },
    ]
  } finally {
    await pool.close()
    await product.stop()
  }
}

async function writeLog(pool: DatabasePool): Promise<{ id: string; sessionId: string }> {
  const [id, sessionId, machineId] = [newId(), newId(), newId()]
  const { db } = pool
  await db.insert(machines).values({ id: machineId, name: 'bench', workerId: 'bench', url: 'unix:bench' })
  await db.insert(streams).values({ id: sessionId })
  await db.insert(sessions).values({ id: sessionId, title: 'bench', createdBy: 'owner' })
  const text = logText(chunkBytes)
  for (let n = 0; n < chunks; n += 16)
    await pool.transaction((tx) =>
      appendEvents(
        tx,
        sessionId,
        Array.from({ length: 16 }, (): NewEvent => {
          const chunk = text().toString('base64')
          return { type: 'data-terminal', payload: { stream: 'stdout', chunk }, executionId: id }
        }),
      ),
    )
  await db.insert(executions).values({
    id,
    sessionId,
    agentName: 'bench',
    capabilityKey: 'log',
    machineId,
    queue: 'tool',
    priority: 0,
    status: 'succeeded',
    args: {},
    createdBy: 'owner',
    firstSeq: 1,
    lastSeq: chunks,
    endedAt: new Date(),
  })
  return { id, sessionId }
}

/** What the same rows cost without us, in pages of the same size. */
async function plainSelect(url: string, sessionId: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const started = performance.now()
  const page = 24
  for (let at = 0; at < chunks; at += page)
    await client.query({
      name: 'plain',
      text: 'select seq, payload::text from events where stream_id = $1 and seq > $2 order by seq limit $3',
      values: [sessionId, at, page],
    })
  const seconds = (performance.now() - started) / 1000
  await client.end()
  return megabytes / seconds
}

/** Reads in a process of its own, as a browser or a command line would. */
async function read(url: string, token: string): Promise<number> {
  const reading = fork(join(import.meta.dirname, 'log-reader.ts'), [url, token, String(chunks * chunkBytes)])
  const [{ seconds, complete }] = (await once(reading, 'message')) as [{ seconds: number; complete: boolean }]
  if (!complete) throw new Error(`the log at ${url} was not read to its end`)
  return megabytes / seconds
}
