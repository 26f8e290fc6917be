import { PassThrough, Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { openInput } from './tmux-input.ts'

it('keeps what is typed and what is pasted in their order, however slow either is', async () => {
  const got: string[] = []
  const keys = new Writable({
    highWaterMark: 16,
    write(chunk: Buffer, _, done) {
      got.push(chunk.toString())
      setTimeout(done, 5)
    },
  })
  const input = openInput({
    keys,
    drained: () => undefined,
    async paste(bytes) {
      expect(keys.writableLength).toBe(0)
      await new Promise((resolve) => setTimeout(resolve, 10))
      got.push(`pasted ${bytes.length} of ${String.fromCharCode(bytes[0]!)}`)
    },
  })
  input.write(Buffer.from('one'))
  input.write(Buffer.alloc(10_000, 'a'))
  input.write(Buffer.alloc(20_000, 'b'))
  await new Promise((resolve) => setTimeout(resolve, 60))
  input.write(Buffer.from('two'))
  await expect.poll(() => got.at(-1)).toBe('two')
  expect(got.filter((one) => !one.startsWith('pasted'))).toEqual(['one', 'two'])
  expect(got.filter((one) => one.startsWith('pasted')).join()).toMatch(
    /^pasted \d+ of a(?:,pasted 20000 of b)?$/,
  )
})

it('makes whoever brings too much wait, and says when it goes on', async () => {
  let drained = 0
  const pasting = Promise.withResolvers<void>()
  const input = openInput({
    keys: new PassThrough().resume(),
    drained: () => (drained += 1),
    paste: () => pasting.promise,
  })
  expect(input.write(Buffer.alloc(100_000))).toBe(true)
  expect(input.write(Buffer.alloc(300_000))).toBe(true)
  expect(input.write(Buffer.alloc(300_000))).toBe(false)
  expect(drained).toBe(0)
  pasting.resolve()
  await expect.poll(() => drained).toBe(1)
})
