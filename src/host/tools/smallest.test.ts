import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Smallest } from './smallest.ts'

test('of any names, in any order, the first ones in their order are kept', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 4000 }),
      fc.integer({ min: 1, max: 50 }),
      (numbers, most) => {
        const smallest = new Smallest(most)
        for (const number of numbers) smallest.add(`n${number}`)
        const all = [...new Set(numbers.map((number) => `n${number}`))].toSorted()
        expect(smallest.first()).toEqual({ names: all.slice(0, most), hasMore: all.length > most })
      },
    ),
    { numRuns: 50 },
  )
})
