import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { gatherOutput } from './gather.ts'

type Passed = [stream: 'stdout' | 'stderr', bytes: Buffer]

function gatherInto() {
  const passed: Passed[] = []
  return { passed, gatherer: gatherOutput((stream, bytes) => passed.push([stream, Buffer.from(bytes)])) }
}
const texts = (passed: Passed[]) => passed.map(([stream, bytes]) => `${stream} ${bytes.toString()}`)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

it('passes on the first output at once, and gathers what follows', () => {
  const { passed, gatherer } = gatherInto()
  vi.advanceTimersByTime(1_000)
  for (const letter of 'abcdef') gatherer.add('stdout', Buffer.from(letter))
  expect(texts(passed)).toEqual(['stdout a'])
  vi.advanceTimersByTime(10)
  expect(texts(passed)).toEqual(['stdout a', 'stdout bcdef'])
})

it('keeps the order between stdout and stderr', () => {
  const { passed, gatherer } = gatherInto()
  gatherer.add('stdout', Buffer.from('1'))
  gatherer.add('stdout', Buffer.from('2'))
  gatherer.add('stderr', Buffer.from('3'))
  gatherer.add('stdout', Buffer.from('4'))
  gatherer.end()
  expect(texts(passed).join()).toMatch(/^stdout 1.*2,stderr 3,stdout 4$/)
})

it('holds back half a character until its rest or the end comes', () => {
  const { passed, gatherer } = gatherInto()
  const [euro, half] = [Buffer.from('€'), Buffer.from('👍').subarray(0, 3)]
  gatherer.add('stdout', euro.subarray(0, 1))
  vi.advanceTimersByTime(1_000)
  expect(passed).toEqual([])
  gatherer.add('stdout', euro.subarray(1))
  vi.advanceTimersByTime(1_000)
  gatherer.add('stdout', half)
  gatherer.flush()
  expect(texts(passed)).toEqual(['stdout €'])
  gatherer.end()
  expect(passed.at(-1)).toEqual(['stdout', half])
})

it('passes on every byte once, at most 64 KB at a time, and never cuts a character', () => {
  const stream = fc.constantFrom('stdout' as const, 'stderr' as const)
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
    fc.constantFrom(65_535, 65_536, 70_001, 200_000).map((size) => Buffer.from('€'.repeat(size / 3))),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(stream, bytes)), fc.boolean(), (said, isSlow) => {
      const { passed, gatherer } = gatherInto()
      for (const [name, piece] of said) {
        gatherer.add(name, Buffer.from(piece))
        if (isSlow) vi.advanceTimersByTime(10)
      }
      gatherer.end()
      for (const name of ['stdout', 'stderr'] as const) {
        const of = (all: [string, Uint8Array][]) =>
          Buffer.concat(all.flatMap(([at, piece]) => (at === name ? [piece] : [])))
        expect(of(passed).equals(of(said))).toBe(true)
      }
      for (const [, piece] of passed) expect(piece.length).toBeLessThanOrEqual(65_536)
    }),
    { numRuns: 50 },
  )
})

it('cuts long text between characters', () => {
  const { passed, gatherer } = gatherInto()
  gatherer.add('stdout', Buffer.from('€'.repeat(100_000)))
  gatherer.end()
  expect(passed.length).toBeGreaterThan(4)
  for (const [, piece] of passed) expect(piece.toString()).toMatch(/^€+$/)
})
