import { openPool } from '#db/pool.ts'
import { spread } from '#domain/position.ts'
import { newId } from '#lib/id.ts'
import { percentile } from '../figure.ts'
import type { Figure } from '../figure.ts'
import { startProduct } from '../support/product.ts'

const cards = 10_000
const rounds = 400

/** The board with ten thousand cards: what one drag and one look cost, over HTTP. */
export default async function board(): Promise<Figure[]> {
  const product = await startProduct()
  const pool = openPool(product.databaseUrl, { max: 1 })
  try {
    const ids = Array.from({ length: cards }, newId)
    await pool.db.$client.query(
      `insert into tasks (id, title, description, status, priority, position, depth, created_by)
       select id, 'Task ' || n, repeat('what is to be done ', 20), 'todo', 'medium', position, 0, 'owner'
       from unnest($1::uuid[], $2::text[]) with ordinality as new (id, position, n)`,
      [ids, spread(cards)],
    )
    await pool.db.$client.query('analyze tasks')
    const any = () => ids[Math.floor(Math.random() * cards)]!
    const bare = await measure(() =>
      pool.db.$client.query('update tasks set updated_at = now() where id = $1', [any()]),
    )
    const drag = await measure(() => product.call('POST', `/tasks/${any()}/reorder`, { afterId: any() }))
    const page = await measure(() => product.call('GET', '/tasks?status=todo&pageSize=100'))
    const deep = await measure(() =>
      product.call('GET', `/tasks?pageSize=100&page=${1 + Math.floor(Math.random() * 100)}`),
    )
    const search = await measure(() =>
      product.call('GET', `/tasks?q=${encodeURIComponent('done what')}&pageSize=50`),
    )
    const peer = { name: 'bare UPDATE', value: percentile(bare, 0.95) }
    const target = { most: 50 }
    return [
      { name: `reorder among ${cards} cards, p95`, ours: percentile(drag, 0.95), unit: 'ms', target, peer },
      { name: 'first 100 of a column, p95', ours: percentile(page, 0.95), unit: 'ms', target },
      { name: 'any page of 100, p95', ours: percentile(deep, 0.95), unit: 'ms', target },
      { name: 'search in titles and descriptions, p95', ours: percentile(search, 0.95), unit: 'ms', target },
    ]
  } finally {
    await pool.close()
    await product.stop()
  }
}

async function measure(once: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < rounds; n++) {
    const started = performance.now()
    await once()
    times.push(performance.now() - started)
  }
  return times.slice(20) // the first ones warm up
}
