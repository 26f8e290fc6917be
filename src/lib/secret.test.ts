import { expect, it } from 'vitest'
import { hashSecret, newSecret, sameHash } from './secret.ts'

it('makes secrets of 32 random bytes that say what they are', () => {
  const made = new Set(Array.from({ length: 1000 }, () => newSecret('sbkey')))
  expect(made.size).toBe(1000)
  for (const secret of made) expect(secret).toMatch(/^sbkey_[\w-]{43}$/)
})

it('hashes with SHA-256', () => {
  expect(hashSecret('abc').toString('hex')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

it('tells equal hashes from others, whatever their length', () => {
  expect(sameHash(hashSecret('a'), hashSecret('a'))).toBe(true)
  expect(sameHash(hashSecret('a'), hashSecret('b'))).toBe(false)
  expect(sameHash(hashSecret('a'), hashSecret('a').subarray(1))).toBe(false)
})
