import type { ModelMessage } from 'ai'
import { expect, test } from 'vitest'
import { counterFor, roughly, tokensOf } from './tokens.ts'

/** It took twenty seconds and more for each. The machine may be busy. */
const mostMs = 2_000

test.each([
  ['one letter', 'a'.repeat(200_000)],
  ['Chinese without a break', characters(50_000, (n) => 0x4e00 + ((n * 7_919) % 20_000))],
  ['base64', characters(400_000, (n) => 97 + ((n * n * 31 + n * 7) % 26))],
  ['nothing but spaces', ' '.repeat(200_000)],
])('a long run of %s does not hold up everybody else', async (_, text) => {
  const count = await counterFor('openai')
  count('warm')
  const startedAt = performance.now()
  const tokens = count(text)
  expect(performance.now() - startedAt).toBeLessThan(mostMs)
  expect(tokens).toBeGreaterThan(0)
})

test('what is counted in slices is about what it is as a whole, also when only a part of it is counted', async () => {
  const count = await counterFor('openai')
  const sentence = 'The signal box at the junction was closed in 1987, and its levers went to a museum. '
  const one = count(sentence)
  for (const times of [5, 100, 5_000]) {
    const tokens = count(sentence.repeat(times))
    expect(tokens).toBeGreaterThan(one * times * 0.95)
    expect(tokens).toBeLessThan(one * times * 1.05)
  }
  expect(count('')).toBe(0)
  // The beginning does not stand for all of it.
  expect(count(`${' '.repeat(100_000)}${sentence.repeat(1_200)}`)).toBeGreaterThan(one * 1_000)
})

test('a message is counted once, by each counter', () => {
  const counted: string[] = []
  const count = (text: string) => counted.push(text)
  const message: ModelMessage = { role: 'user', content: 'hello' }
  expect(tokensOf(message, count)).toBe(tokensOf(message, count))
  expect(counted).toEqual(['hello'])
  expect(tokensOf(message, roughly)).not.toBe(tokensOf(message, count))
})

test('a large picture counts for more than a small one', () => {
  const picture = (bytes: number): ModelMessage => ({
    role: 'user',
    content: [{ type: 'file', mediaType: 'image/png', data: 'A'.repeat((bytes * 4) / 3) }],
  })
  expect(tokensOf(picture(3_000), roughly)).toBe(1_604)
  expect(tokensOf(picture(2_100_000), roughly)).toBe(3_004)
  expect(tokensOf(picture(12_000_000), roughly)).toBe(6_004)
})

function characters(length: number, code: (n: number) => number): string {
  return Array.from({ length }, (_, n) => String.fromCharCode(code(n))).join('')
}
