import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { HomeRefused } from './home.ts'
import { openSeal, SealBroken } from './sealed.ts'

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'signalbox-sealed-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  return home
}

const secret = { token: 'hush-hush', odd: '\0 \ud800 ü', none: null }

it('opens again what it sealed, also after a restart, and nothing of it can be read', () => {
  const home = newHome()
  const bytes = openSeal(home).seal(secret, 'source:1')
  expect(openSeal(home).unseal(bytes, 'source:1')).toEqual(secret)
  expect(bytes.toString('latin1')).not.toContain('hush-hush')
  expect(statSync(join(home, 'secrets-key')).mode & 0o777).toBe(0o600)
})

it('never makes the same bytes twice', () => {
  const { seal } = openSeal(newHome())
  expect(seal(secret, 'source:1')).not.toEqual(seal(secret, 'source:1'))
})

it('does not open what was sealed for another place', () => {
  const { seal, unseal } = openSeal(newHome())
  const bytes = seal(secret, 'source:1')
  expect(() => unseal(bytes, 'source:2')).toThrow(SealBroken)
})

it('says what to do when the key is another one', () => {
  const bytes = openSeal(newHome()).seal(secret, 'source:1')
  expect(() => openSeal(newHome()).unseal(bytes, 'source:1')).toThrow(
    'Put back the key that it was kept with, or give the secret again.',
  )
})

it('finds every changed bit, and whatever is too short or of another version', () => {
  const { seal, unseal } = openSeal(newHome())
  const bytes = seal(secret, 'source:1')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    expect(() => unseal(changed, 'source:1')).toThrow(SealBroken)
  }
  for (let length = 0; length < bytes.length; length++)
    expect(() => unseal(bytes.subarray(0, length), 'source:1')).toThrow(SealBroken)
})

it('refuses a key that is none', () => {
  const home = newHome()
  writeFileSync(join(home, 'secrets-key'), 'short\n')
  expect(() => openSeal(home)).toThrow(HomeRefused)
})
