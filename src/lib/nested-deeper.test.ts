import { expect, it } from 'vitest'
import { isNestedDeeper } from './nested-deeper.ts'

const nested = (depth: number) => {
  let value: unknown = 1
  for (let at = 0; at < depth; at += 1) value = at % 2 === 0 ? [null, value] : { at, value }
  return value
}

it('is told of any depth', () => {
  for (const depth of [0, 1, 2, 7, 200_000])
    for (const levels of [0, 1, 2, 6, 7, 8, 1_000])
      expect([depth, levels, isNestedDeeper(nested(depth), levels)]).toEqual([depth, levels, depth > levels])
})
