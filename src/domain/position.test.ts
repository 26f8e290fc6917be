import fc from 'fast-check'
import { expect, test } from 'vitest'
import { needsRespread, positionBetween, spread } from './position.ts'

test('cards keep the order in which they were put, wherever that was', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 200 }), (places) => {
      const column: string[] = []
      for (const place of places) {
        const index = place % (column.length + 1)
        column.splice(index, 0, positionBetween(column[index - 1] ?? null, column[index] ?? null))
      }
      expect(column.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(column)
      expect(new Set(column).size).toBe(column.length)
    }),
  )
})

test('positions that grew long are noticed, and fresh ones are short and in order', () => {
  const above = positionBetween(null, null)
  let below: string | null = null
  let drops = 0
  while (!needsRespread((below = positionBetween(above, below)))) drops++
  expect(drops).toBeGreaterThan(200)
  const fresh = spread(10_000)
  expect(fresh.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(fresh)
  expect(fresh.some(needsRespread)).toBe(false)
})
