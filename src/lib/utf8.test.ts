import fc from 'fast-check'
import { expect, it } from 'vitest'
import { unfinishedTail } from './utf8.ts'

it.each([
  ['', 0],
  ['61', 0],
  ['c3', 1],
  ['c3 a9', 0],
  ['e2', 1],
  ['e2 82', 2],
  ['e2 82 ac', 0],
  ['f0 9f 91', 3],
  ['61 f0 9f 91', 3],
  ['f0 9f 91 8d', 0],
  ['80 80 80', 0],
  ['80 80 80 80', 0],
  ['c0', 0],
  ['ff', 0],
  ['f5', 0],
  ['e0 80', 0],
  ['ed a0', 0],
  ['f0 80', 0],
  ['f4 90', 0],
  ['c3 a9 80', 0],
])('of %s, %d bytes wait for more', (hex, held) => {
  expect(unfinishedTail(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toBe(held)
})

it('leaves whole characters, wherever a text is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 10 }), fc.nat(50), (text, at) => {
      const piece = Buffer.from(text).subarray(0, at)
      const whole = piece.subarray(0, piece.length - unfinishedTail(piece))
      expect(text.startsWith(whole.toString())).toBe(true)
    }),
  )
})
