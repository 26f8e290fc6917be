import type { BigIntStats } from 'node:fs'
import { expect, test } from 'vitest'
import { FileCache } from './file-cache.ts'

const stats = (ino: number, agoMs = 60_000) => {
  const at = BigInt(Date.now() - agoMs) * 1_000_000n
  return { dev: 1n, ino: BigInt(ino), size: 3n, mtimeNs: at, ctimeNs: at } as BigIntStats
}
const file = { hash: 'h', lines: 1, text: 'abc' }

test('a file is known as long as nothing of it has changed', () => {
  const cache = new FileCache()
  const before = stats(1)
  cache.keep(before, file)
  expect(cache.find({ ...before })).toMatchObject(file)
  for (const change of [{ size: 4n }, { ino: 2n }, { mtimeNs: 1n }, { ctimeNs: 1n }, { dev: 2n }])
    expect(cache.find({ ...before, ...change })).toBeUndefined()
  cache.clear()
})

test('what has just changed may change again without a trace, and is not kept', () => {
  const cache = new FileCache()
  const [fresh, touched] = [stats(1, 10), { ...stats(2), ctimeNs: stats(2, 10).ctimeNs }]
  cache.keep(fresh, file)
  cache.keep(touched, file)
  expect([cache.find(fresh), cache.find(touched)]).toEqual([undefined, undefined])
  cache.clear()
})

test('is bounded: what was used longest ago goes first, and of what is very long only the hash stays', () => {
  const cache = new FileCache()
  const half = { ...file, text: 'x'.repeat(3 << 20) }
  const all = [1, 2, 3, 4].map((ino) => stats(ino))
  for (const one of all.slice(0, 2)) cache.keep(one, half)
  cache.find(all[0]!)
  cache.keep(all[2]!, half)
  expect(all.slice(0, 3).map((one) => cache.find(one) !== undefined)).toEqual([true, false, true])
  cache.keep(all[3]!, { ...file, text: 'x'.repeat(9 << 20) })
  expect(cache.find(all[3]!)).toMatchObject({ hash: 'h', text: undefined })
  cache.clear()
  expect(cache.find(all[3]!)).toBeUndefined()
})
