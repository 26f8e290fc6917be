import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openInput } from './tmux-input.ts'

const unhindered = {
  barrier: '|',
  meter: { given: () => undefined, unread: () => undefined },
  refused: () => expect.unreachable(),
}

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
    ...unhindered,
    keys,
    drained: () => undefined,
    async paste(bytes, isBehindBarrier) {
      while (isBehindBarrier && got.at(-1) !== '|') await new Promise((resolve) => setTimeout(resolve, 1))
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
  expect(got.filter((one) => !one.startsWith('pasted'))).toEqual(['one', '|', 'two'])
  expect(got.filter((one) => one.startsWith('pasted')).join()).toMatch(
    /^pasted \d+ of a(?:,pasted 20000 of b)?$/,
  )
})

it('makes whoever brings too much wait, and says when it goes on', async () => {
  let drained = 0
  const pasting = Promise.withResolvers<void>()
  const input = openInput({
    ...unhindered,
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

it('passes the beginning of a key on as one of its own before it pastes', async () => {
  const got: { text: string; at: number }[] = []
  const note = (text: string) => got.push({ text, at: performance.now() })
  const keys = new Writable({ write: (chunk: Buffer, _, done) => (note(chunk.toString()), done()) })
  const paste = async (bytes: Buffer) => void note(`pasted ${bytes.length}`)
  const input = openInput({ ...unhindered, keys, drained: () => undefined, paste })
  input.write(Buffer.from('\x1b'))
  input.write(Buffer.alloc(10_000, 'a'))
  await expect.poll(() => got.map(({ text }) => text)).toEqual(['\x1b', '|', 'pasted 10000'])
  expect(got[1]!.at - got[0]!.at).toBeGreaterThan(60)
})

describe('for a program that does not read', () => {
  const mb = 1024 * 1024
  function stage() {
    let unread = 0
    let given = 0
    const lost: number[] = []
    const input = openInput({
      ...unhindered,
      keys: new PassThrough().resume(),
      meter: { given: (bytes) => void ((unread += bytes), (given += bytes)), unread: () => unread },
      paste: () => Promise.resolve(),
      drained: () => undefined,
      refused: (bytes) => lost.push(bytes),
      stallMs: 60,
    })
    const reads = (bytes: number) => void (unread -= bytes)
    return { input, lost, reads, given: () => given }
  }

  it('lets go of what is too much, once, and then at once, until it reads', async () => {
    const { input, lost, reads, given } = stage()
    for (let count = 0; count < 8; count += 1) input.write(Buffer.alloc(mb / 2, 'a'))
    await expect.poll(() => lost).toHaveLength(1)
    expect(given()).toBeLessThanOrEqual(1.5 * mb)
    expect(lost[0]! + given()).toBe(4 * mb)
    const began = performance.now()
    input.write(Buffer.alloc(mb / 2, 'a'))
    await expect.poll(() => lost, { interval: 1 }).toHaveLength(2)
    expect(performance.now() - began).toBeLessThan(50)
    // A key is passed on.
    const before = given()
    input.write(Buffer.from('\x03'))
    await expect.poll(given).toBe(before + 1)
    reads(given())
    input.write(Buffer.alloc(20_000, 'a'))
    await expect.poll(given).toBe(before + 20_001)
    expect(lost).toHaveLength(2)
  })

  it('waits for one that reads slowly', async () => {
    const { input, lost, reads, given } = stage()
    const reading = setInterval(() => reads(given() > 0 ? 40_000 : 0), 10)
    for (let count = 0; count < 6; count += 1) input.write(Buffer.alloc(mb / 2, 'a'))
    await expect.poll(given, { timeout: 10_000 }).toBe(3 * mb)
    clearInterval(reading)
    expect(lost).toEqual([])
  })

  it('takes many small pieces for no more than they are', async () => {
    const { input, lost, given } = stage()
    for (let count = 0; count < 60_000; count += 1) input.write(Buffer.alloc(50, 'a'))
    await expect.poll(() => lost.length).toBeGreaterThan(0)
    expect(given()).toBeLessThanOrEqual(2.5 * mb)
  })
})
