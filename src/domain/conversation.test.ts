import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findAnswered, findSaid, spansOf } from './conversation.ts'
import type { Mark, Span } from './conversation.ts'

const seqsIn = (spans: readonly Span[]): string[] =>
  spans.flatMap(({ streamId, after, upTo }) =>
    Array.from({ length: upTo - after }, (_, index) => `${streamId}${after + index + 1}`),
  )

describe('what belongs to a conversation', () => {
  test('is everything, as long as nobody goes back', () => {
    expect(spansOf('a', [], 5)).toEqual([{ streamId: 'a', after: 0, upTo: 5 }])
    expect(spansOf('a', [], 0)).toEqual([])
  })

  test('begins after the last fresh start', () => {
    const marks: Mark[] = [
      { type: 'data-afresh', seq: 3 },
      { type: 'data-afresh', seq: 6 },
    ]
    expect(seqsIn(spansOf('a', marks, 8))).toEqual(['a7', 'a8'])
  })

  test('leaves out what came after the place to which somebody went back', () => {
    const marks: Mark[] = [{ type: 'data-branch', seq: 6, after: 2 }]
    expect(seqsIn(spansOf('a', marks, 8))).toEqual(['a1', 'a2', 'a7', 'a8'])
    const further: Mark[] = [...marks, { type: 'data-branch', seq: 10, after: 1 }]
    expect(seqsIn(spansOf('a', further, 11))).toEqual(['a1', 'a11'])
    const within: Mark[] = [...marks, { type: 'data-branch', seq: 10, after: 7 }]
    expect(seqsIn(spansOf('a', within, 11))).toEqual(['a1', 'a2', 'a7', 'a11'])
  })

  test('has in a fork what its parent had said, until the fork begins afresh or goes back behind it', () => {
    const inherited = spansOf('p', [{ type: 'data-branch', seq: 3, after: 1 }], 5)
    expect(seqsIn(spansOf('a', [], 2, inherited))).toEqual(['p1', 'p4', 'p5', 'a1', 'a2'])
    const back: Mark[] = [{ type: 'data-branch', seq: 3, after: 4, of: 'p' }]
    expect(seqsIn(spansOf('a', back, 4, inherited))).toEqual(['p1', 'p4', 'a4'])
    const fresh: Mark[] = [{ type: 'data-afresh', seq: 3 }]
    expect(seqsIn(spansOf('a', fresh, 4, inherited))).toEqual(['a4'])
  })

  test('is what a list would be, from which everything after a place is taken away', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constant('say' as const) },
      { weight: 1, arbitrary: fc.constant('afresh' as const) },
      { weight: 2, arbitrary: fc.nat(50) },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(5), (steps, parents) => {
        const inherited = spansOf('p', [], parents)
        let list = seqsIn(inherited)
        const marks: Mark[] = []
        for (const [index, what] of steps.entries()) {
          const seq = index + 1
          if (what === 'say') list.push(`a${seq}`)
          else if (what === 'afresh') {
            list = []
            marks.push({ type: 'data-afresh', seq })
          } else {
            const first = list[what % Math.max(list.length, 1)]
            if (first === undefined) marks.push({ type: 'data-branch', seq, after: seq - 1 })
            else {
              list = list.slice(0, list.indexOf(first))
              const of = first.slice(0, 1)
              marks.push({ type: 'data-branch', seq, after: Number(first.slice(1)) - 1, of })
            }
          }
        }
        expect(seqsIn(spansOf('a', marks, steps.length, inherited))).toEqual(list)
      }),
    )
  })
})

describe('a message', () => {
  const said = [
    { seq: 2, executionId: 'one', isWord: false, messageId: 'mine' },
    { seq: 5, executionId: 'one', isWord: true, messageId: null },
    { seq: 9, executionId: 'two', isWord: false, messageId: 'mine' },
  ]

  test('of a person is found by our name for it, and by their client’s; of two that are called the same, the first', () => {
    expect(findSaid(said, 'one.5')?.seq).toBe(5)
    expect(findSaid(said, 'two.9')?.seq).toBe(9)
    expect(findSaid(said, 'mine')?.seq).toBe(2)
    for (const unknown of ['one', 'one.2.', 'one.9', '']) expect(findSaid(said, unknown)).toBeUndefined()
  })

  test('is found by what answers it: a turn, or what begins at a word in the middle of one', () => {
    expect(findAnswered(said, 'one')?.seq).toBe(2)
    expect(findAnswered(said, 'two')?.seq).toBe(9)
    expect(findAnswered(said, 'one.5')?.seq).toBe(5)
    expect(findAnswered(said, 'three')).toBeUndefined()
  })
})
