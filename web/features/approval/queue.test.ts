import { expect, it } from 'vitest'
import type { Approval } from '../../../src/contract/approval.ts'
import { grouped, queueFrom, queueOf } from './queue.ts'

const asked = (id: string, executionId: string | null, position: number, total: number, more: object = {}) =>
  ({ id, executionId, position, total, kind: 'tool', questions: null, schema: null, ...more }) as Approval
const ids = (rows: readonly Approval[] | undefined) => rows?.map(({ id }) => id)

const rows = [
  asked('b', 'one', 2, 3),
  asked('x', 'two', 1, 1),
  asked('c', 'one', 3, 3, { kind: 'question', questions: [] }),
  asked('a', 'one', 1, 3),
  asked('y', null, 1, 2),
  asked('z', null, 2, 2),
]

it('puts the calls of one step together, in their order, and leaves all others where they are', () => {
  expect(ids(grouped(rows))).toEqual(['a', 'b', 'c', 'x', 'y', 'z'])
})

it('offers to answer several at once where the first of them stands, but for those that need words', () => {
  const sorted = grouped(rows)
  expect(sorted.map((_, at) => ids(queueFrom(sorted, at)))).toEqual([
    ['a', 'b'],
    ...Array.from({ length: 5 }, () => undefined),
  ])
  expect(queueOf([asked('a', 'one', 1, 1)])).toBeUndefined()
})
