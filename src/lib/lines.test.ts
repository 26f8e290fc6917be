import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { readLines } from './lines.ts'

async function linesIn(chunks: (string | Buffer)[], longest?: number) {
  const [lines, sizes]: [string[], number[]] = [[], []]
  await readLines(Readable.from(chunks.map((chunk) => Buffer.from(chunk))), {
    take: (line) => void lines.push(line),
    tooLong: (bytes) => void sizes.push(bytes),
    ...(longest !== undefined && { longest }),
  })
  return { lines, sizes }
}

it('reads lines whole, however they are cut, and leaves out the empty ones', async () => {
  const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)]
  const { lines } = await linesIn(['a', 'b\n\n', 'c', first, second, '\r\nlast'])
  expect(lines).toEqual(['ab', 'cé', 'last'])
})

it('keeps nothing of a line that is too long, tells its size and reads on', async () => {
  expect(await linesIn(['12345\n', '123', '456\nshort\n', '1234567'], 5)).toEqual({
    lines: ['12345', 'short'],
    sizes: [6, 7],
  })
})

it('takes 16 MB for too long unless it is told otherwise', async () => {
  const most = 16 * 1024 * 1024
  const { lines, sizes } = await linesIn([Buffer.alloc(most, 'x'), '\n', Buffer.alloc(most + 1, 'x'), '\n'])
  expect(lines.map((line) => line.length)).toEqual([most])
  expect(sizes).toEqual([most + 1])
})
