import { expect, test } from 'vitest'
import { linesOf } from './line-iterator.ts'

async function* inPieces(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size)
}

async function all(lines: AsyncIterable<string>): Promise<string[]> {
  const taken: string[] = []
  for await (const line of lines) taken.push(line)
  return taken
}

test.each([1, 2, 3, 7, 100])('finds the same lines in pieces of %i bytes', async (size) => {
  const text = 'eins\n\nzwölf\n🚂 fährt'
  expect(await all(linesOf(inPieces(text, size), 100))).toEqual(text.split('\n'))
  expect(await all(linesOf(inPieces('a\nb\n', size), 100))).toEqual(['a', 'b'])
})

test('does not gather a line that never ends', async () => {
  const taken: string[] = []
  const read = async () => {
    for await (const line of linesOf(inPieces(`short\n${'x'.repeat(50)}`, 8), 40)) taken.push(line)
  }
  await expect(read()).rejects.toThrow('longer than 40 bytes')
  expect(taken).toEqual(['short'])
})
