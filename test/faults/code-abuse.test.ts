import { expect, test } from 'vitest'
import { openTestPool, runIn } from '../support/code/code-pool.ts'
import { runMixed } from '../support/code/mixed.ts'

const count = 10_000
const megabytes = () => process.memoryUsage.rss() / 1024 ** 2

test(`${count} executions of hostile and honest code, mixed: no wrong result, nothing left, flat memory`, async () => {
  const pool = openTestPool({ min: 2, max: 2, isVerified: true })
  const resident: number[] = []
  const { wrong, ends } = await runMixed(pool, count, () => resident.push(megabytes()))
  expect(wrong).toEqual([])
  expect(ends['returned']).toBeGreaterThan(count / 2)
  expect(pool.load).toMatchObject({ busy: 0, waiting: 0, live: 0, crashed: 0 })
  expect((await runIn(pool, 'return 1 + 1').ended)?.ending).toEqual({ how: 'returned', text: '2' })
  const third = Math.floor(resident.length / 3)
  const highest = (part: number[]) => Math.max(...part)
  expect(highest(resident.slice(2 * third))).toBeLessThan(highest(resident.slice(third, 2 * third)) + 60)
  await pool.close()
}, 900_000)
