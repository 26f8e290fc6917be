import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { openCodeMode } from './open.ts'
import type { CodeHands } from './port.ts'

const MB = 1024 ** 2
const mode = openCodeMode({
  threads: { min: 1, max: 1, idleMs: 1_000 },
  mostMemoryBytes: 128 * MB,
  mostWaiting: 5,
  mostWaitingOfOne: 5,
})
afterAll(() => mode.close())

/** The longest time for which nobody else in this thread had a turn. */
async function longestStandstill(work: () => Promise<void>): Promise<number> {
  let last = performance.now()
  let longest = 0
  const look = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const ticking = setInterval(look, 1)
  await work()
  look()
  clearInterval(ticking)
  return longest
}

const standstillOf = (work: () => void): number => {
  const since = performance.now()
  work()
  return performance.now() - since
}

/** Such as takes its time to be compressed, and repeats itself further away than is looked for. */
const large = `
  const piece = new Uint32Array(${MB})
  for (let at = 0, x = 1; at < piece.length; at++) { x ^= x << 13; x ^= x >>> 17; x ^= x << 5; piece[at] = x & 0x0f0f0f0f }
  const all = new Uint32Array(16 * piece.length)
  for (let at = 0; at < 16; at++) all.set(piece, at * piece.length)
  const said = await mcp.a.b()
  return [said, all.length, all[5] === piece[5]]`

test('a large run is put away and taken up while all others go on', async () => {
  const { promise: isCalled, resolve: onCall } = Promise.withResolvers<void>()
  const hands: CodeHands = {
    call: () => {
      onCall()
      return new Promise(() => {})
    },
    log: () => undefined,
  }
  const wanted = { isTypeScript: false, isChecked: false, api: mode.api([]), context: null, clockMs: null }
  const limits = { timeoutMs: 60_000, memoryBytes: 120 * MB, cpuQuota: 1, seed: [1, 2, 3, 4] }
  const run = mode.run({ owner: 'me', code: large, ...wanted, ...limits }, hands)
  await isCalled
  let bytes: Uint8Array = new Uint8Array()
  let ending: unknown
  const away = await longestStandstill(async () => {
    const frozen = await run.freeze()
    bytes = await frozen!.memory
    const outcomes = [{ call: 1, value: 'yes' }]
    const again = await mode.thaw(frozen!, hands, { owner: 'me', outcomes })
    ending = await again.ended
  })
  expect(ending).toMatchObject({ isFine: true, result: ['yes', 16 * MB, true] })
  let whole = new Uint8Array()
  const unpacking = standstillOf(() => (whole = zstdDecompressSync(bytes)))
  expect(whole.length).toBeGreaterThan(64 * MB)
  const packing = standstillOf(() => zstdCompressSync(whole))
  expect(away).toBeLessThan((packing + unpacking) / 3)
}, 60_000)
