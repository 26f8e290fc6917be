import { expect, it, vi } from 'vitest'
import { openOutgoing } from './outgoing.ts'

/** A socket that takes in what it is given, and passes it on when the test says so. */
function slowSocket() {
  const taken: Uint8Array[] = []
  const waiting: number[] = []
  let inside = 0
  let most = 0
  const outgoing = openOutgoing({
    send: (bytes) => {
      taken.push(bytes)
      inside += bytes.length
      most = Math.max(most, inside)
    },
    buffered: () => inside,
    onWaiting: (characters) => waiting.push(characters),
  })
  const text = () => Buffer.concat(taken).toString()
  return { outgoing, taken, waiting, text, most: () => most, passOn: () => (inside = 0) }
}

it('sends what is typed at once, and bytes as they are', () => {
  const { outgoing, taken, waiting } = slowSocket()
  outgoing.put('é')
  outgoing.put('\u00e9\u0080', 'binary')
  expect(taken.map((bytes) => [...bytes])).toEqual([
    [0xc3, 0xa9],
    [0xe9, 0x80],
  ])
  expect(waiting).toEqual([])
})

it('sends a large paste whole and in order, never much of it at a time', async () => {
  const { outgoing, text, waiting, most, passOn } = slowSocket()
  const pasted = Array.from({ length: 60_000 }, (_, line) => `${line}🙂`).join('\n')
  outgoing.put(pasted)
  outgoing.put('typed after it')
  const reader = setInterval(passOn, 1)
  await vi.waitUntil(() => waiting.at(-1) === 0, { timeout: 10_000 })
  clearInterval(reader)
  expect(text()).toBe(`${pasted}typed after it`)
  expect(most()).toBeLessThan(65_536 + 4 * 16_384)
  expect(waiting.length).toBeGreaterThan(5)
})

it('takes back what nobody has read yet', async () => {
  const { outgoing, text, waiting, passOn } = slowSocket()
  outgoing.put('x'.repeat(1_000_000))
  const sent = text().length
  expect(outgoing.drop()).toBe(1_000_000 - sent)
  expect(waiting.at(-1)).toBe(0)
  passOn()
  outgoing.put('!')
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(text()).toBe(`${'x'.repeat(sent)}!`)
})
