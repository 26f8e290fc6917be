import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogStream } from '#contract/execution.ts'
import { CharacterJoiner, lookBack } from './characters.ts'

const euro = Buffer.from('€')

/** Everything, in the order in which it is handed out. */
function read(joiner: CharacterJoiner, chunks: readonly [LogStream, Buffer][]): string {
  return chunks.map(([stream, bytes]) => joiner.take(stream, bytes)).join('')
}
const wholly = (chunks: readonly [LogStream, Buffer][]) => {
  const joiner = new CharacterJoiner()
  return read(joiner, chunks) + (joiner.rest()?.content ?? '')
}

test('a character cut anywhere is joined, whatever another stream says in between', () => {
  const text = Buffer.from('a€🚂ü')
  for (let cut = 0; cut <= text.length; cut++)
    expect(
      wholly([
        ['stdout', text.subarray(0, cut)],
        ['stderr', euro.subarray(0, 2)],
        ['stdout', text.subarray(cut)],
        ['stderr', euro.subarray(2)],
      ]),
    ).toHaveLength('a€🚂ü€'.length)
  expect(wholly(Array.from(text, (byte) => ['stdout', Buffer.of(byte)]))).toBe('a€🚂ü')
})

test('bytes of one stream read as if they had come at once, valid or not', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 5 })), (chunks) => {
      const bytes = chunks.map((chunk): [LogStream, Buffer] => ['stdout', Buffer.from(chunk)])
      expect(wholly(bytes)).toBe(Buffer.concat(chunks).toString('utf8'))
    }),
  )
})

test('half a character waits for a while, then its place is marked', () => {
  const between = (count: number) =>
    Array.from({ length: count }, (): [LogStream, Buffer] => ['stdout', Buffer.from('.')])
  const halves = (count: number) =>
    wholly([['stderr', euro.subarray(0, 2)], ...between(count), ['stderr', euro.subarray(2)]])
  expect(halves(16)).toBe(`${'.'.repeat(16)}€`)
  expect(halves(17)).toBe(`${'.'.repeat(16)}\ufffd.\ufffd`)
})

test('who is shown the ends of the chunks before reads on exactly, wherever that is', () => {
  const streams = fc.constantFrom<LogStream>('stdout', 'stdout', 'stdout', 'stderr')
  const pieces = fc.constantFrom(
    euro,
    euro.subarray(0, 1),
    euro.subarray(1, 2),
    euro.subarray(2),
    Buffer.from([0xf0, 0x9f]),
    Buffer.from('plain'),
    Buffer.alloc(0),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(streams, pieces), { minLength: 1, maxLength: 200 }),
      fc.nat(),
      (chunks, where) => {
        const cut = where % chunks.length
        const before = new CharacterJoiner()
        const seen = read(before, chunks.slice(0, cut))
        const resumed = new CharacterJoiner()
        const ends = chunks
          .slice(Math.max(0, cut - lookBack), cut)
          .map(([stream, bytes]): [LogStream, Buffer] => [stream, bytes.subarray(-4)])
        read(resumed, ends)
        const rest = read(resumed, chunks.slice(cut)) + (resumed.rest()?.content ?? '')
        expect(seen + rest).toBe(wholly(chunks))
      },
    ),
    { numRuns: 500 },
  )
})
