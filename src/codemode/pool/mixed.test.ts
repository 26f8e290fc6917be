import { expect, test } from 'vitest'
import { openTestPool, runIn } from '../../../test/support/code/code-pool.ts'
import { runMixed } from '../../../test/support/code/mixed.ts'

test('hostile and honest code, mixed: no wrong result, nothing left, all threads there', async () => {
  const pool = openTestPool({ min: 2, max: 2, isVerified: true })
  const { wrong, ends } = await runMixed(pool, 1_000)
  expect(wrong).toEqual([])
  expect(ends['returned']).toBeGreaterThan(500)
  expect(pool.load).toMatchObject({ busy: 0, waiting: 0, live: 0, crashed: 0 })
  expect((await runIn(pool, 'return 1 + 1').ended)?.ending).toEqual({ how: 'returned', text: '2' })
  await pool.close()
}, 120_000)
