import { expect, it } from 'vitest'
import { inBatches } from './in-batches.ts'

it('does at once what comes together, and answers each', async () => {
  const seen: number[][] = []
  const double = inBatches(3, async (items: readonly number[]) => {
    seen.push([...items])
    return items.map((item) => item * 2)
  })
  expect(await Promise.all([1, 2, 3, 4].map(double))).toEqual([2, 4, 6, 8])
  expect(await double(5)).toBe(10)
  expect(seen).toEqual([[1, 2, 3], [4], [5]])
})

it('tells each what went wrong, and goes on', async () => {
  let isBroken = true
  const work = inBatches(10, async (items: readonly number[]) => {
    if (isBroken) throw new Error('broken')
    return items
  })
  expect(await Promise.allSettled([work(1), work(2)])).toMatchObject([
    { status: 'rejected', reason: { message: 'broken' } },
    { status: 'rejected', reason: { message: 'broken' } },
  ])
  isBroken = false
  expect(await work(3)).toBe(3)
})
