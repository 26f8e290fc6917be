import { expect, test } from 'vitest'
import { mergeDeltas } from './deltas.ts'

const delta = (id: string, text: string, more: object = {}) => ({
  type: 'text-delta',
  payload: { type: 'text-delta', id, delta: text, ...more },
})

test('neighbouring pieces of one part become one', () => {
  expect(mergeDeltas([delta('1', 'a'), delta('1', 'b'), delta('1', 'c')])).toEqual([delta('1', 'abc')])
})

test('what is not a neighbour, or not the same part, stays apart', () => {
  const end = { type: 'text-end', payload: { type: 'text-end', id: '1' } }
  for (const batch of [
    [delta('1', 'a'), delta('2', 'b')],
    [delta('1', 'a'), end, delta('1', 'b')],
    [delta('1', 'a'), { ...delta('1', 'b'), executionId: 'other' }],
    [delta('1', 'a'), delta('1', 'b', { providerMetadata: { x: 1 } })],
    [end, end],
  ])
    expect(mergeDeltas(batch)).toEqual(batch)
})

test('pieces of a tool call are joined by their call', () => {
  const piece = (toolCallId: string, inputTextDelta: string) => ({
    type: 'tool-input-delta',
    payload: { type: 'tool-input-delta', toolCallId, inputTextDelta },
  })
  expect(mergeDeltas([piece('a', '{'), piece('a', '}'), piece('b', '[')])).toEqual([
    piece('a', '{}'),
    piece('b', '['),
  ])
})
