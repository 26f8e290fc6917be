import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isDeeperThan } from './depth.ts'

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((one) => depthOf(one)))
    : 0

it('is what walking into it finds, whatever stands in its texts', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('[[[', '"]"', '\\"{', '\\', '\\\\', '}}'))
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 6 }, text, fc.nat(), fc.array(tie('tree')), fc.dictionary(text, tie('tree'))),
  }))
  fc.assert(
    fc.property(tree, fc.nat(6), (value, most) => {
      expect(isDeeperThan(JSON.stringify(value), most)).toBe(depthOf(value) > most)
    }),
    { numRuns: 1_000 },
  )
})
