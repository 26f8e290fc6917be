import { expect, it } from 'vitest'
import { frame, framesOf } from './framed-bytes.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function heard(bytes: Buffer, size: number, longest = 1_000): Promise<[number, string][]> {
  const all: [number, string][] = []
  for await (const one of framesOf(inPieces(bytes, size), longest)) all.push([one.kind, one.bytes.toString()])
  return all
}

const said = Buffer.concat([frame(1, 'hello'), frame(2), frame(255, 'x'.repeat(999)), frame(3, 'end')])

it.each([1, 2, 3, 7, 64, 5_000])('is the same in pieces of %d bytes', async (size) => {
  expect(await heard(said, size)).toEqual([
    [1, 'hello'],
    [2, ''],
    [255, 'x'.repeat(999)],
    [3, 'end'],
  ])
})

it('throws at one that is too long before it is there', async () => {
  await expect(heard(frame(1, 'x'.repeat(1_001)).subarray(0, 5), 5)).rejects.toThrow(/1001 bytes/)
})

it('throws when it ends in the middle of one', async () => {
  await expect(heard(said.subarray(0, said.length - 1), 64)).rejects.toThrow(/middle/)
})
