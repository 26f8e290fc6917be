import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { startProduct } from '../support/product.ts'

const readers = 200
const perSecond = 5_000
const seconds = 10

/** Append → a reader's socket, with every reader on one stream: the hardest case, a million deliveries a second. */
export default async function streaming(): Promise<Figure[]> {
  const product = await startProduct()
  try {
    const notify = await bareNotify(product.databaseUrl)
    const reading = fork(join(import.meta.dirname, 'readers.ts'), [
      product.url,
      product.token,
      String(readers),
    ])
    await once(reading, 'message') // all of them are connected
    const writing = fork(join(import.meta.dirname, 'writer.ts'), [
      product.databaseUrl,
      String(perSecond),
      String(seconds),
    ])
    const [written] = (await once(writing, 'message')) as [{ events: number; seconds: number }]
    reading.send({ expect: written.events })
    const [seen] = (await once(reading, 'message')) as [
      { latencies: number[]; delivered: number; complete: number; resumed: number },
    ]
    reading.kill()
    if (seen.complete !== readers)
      throw new Error(`only ${seen.complete} of ${readers} readers got every event in order`)
    return [
      {
        name: `append → SSE reader, p50 (${perSecond}/s, ${readers} readers)`,
        ours: percentile(seen.latencies, 0.5),
        unit: 'ms',
        target: { most: 25 },
        peer: { name: 'bare NOTIFY', value: percentile(notify, 0.5) },
      },
      {
        name: 'append → SSE reader, p95',
        ours: percentile(seen.latencies, 0.95),
        unit: 'ms',
        peer: { name: 'bare NOTIFY', value: percentile(notify, 0.95) },
      },
      {
        name: 'events written',
        ours: written.events / written.seconds,
        unit: '/s',
        target: { least: perSecond * 0.97 },
      },
      { name: 'events delivered', ours: seen.delivered / written.seconds, unit: '/s' },
      { name: 'readers dropped for being slow, and resumed', ours: seen.resumed, unit: '' },
    ]
  } finally {
    await product.stop()
  }
}

/** What Postgres itself needs to tell one connection what another one says: the limit below which nobody comes. */
async function bareNotify(url: string): Promise<number[]> {
  const [speaker, hearer] = [
    new pg.Client({ connectionString: url }),
    new pg.Client({ connectionString: url }),
  ]
  await Promise.all([speaker.connect(), hearer.connect()])
  await hearer.query('listen bare')
  const latencies: number[] = []
  for (let n = 0; n < 500; n++) {
    const heard = once(hearer, 'notification')
    const said = performance.now()
    await speaker.query('notify bare')
    await heard
    latencies.push(performance.now() - said)
  }
  await Promise.all([speaker.end(), hearer.end()])
  return latencies
}
