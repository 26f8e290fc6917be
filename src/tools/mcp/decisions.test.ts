import { expect, test } from 'vitest'
import { delayAfter } from './backoff.ts'
import { openAllowance } from './limits.ts'
import { openGate } from './gate.ts'
import { headerFault } from './param-headers.ts'

const policy = { maxRetries: 3, initialDelay: 500, maxDelay: 30_000 }

test('delays double to the longest there is, differ, and are never none', () => {
  const longest = (failures: number) => delayAfter(failures, policy, () => 1)
  expect([1, 2, 3, 7, 8, 1_000].map(longest)).toEqual([500, 1_000, 2_000, 30_000, 30_000, 30_000])
  expect(delayAfter(1, policy, () => 0)).toBe(250)
  expect(delayAfter(9, { maxRetries: 0, initialDelay: 0, maxDelay: 0 }, () => 0)).toBe(100)
})

test('an allowance is for a second', () => {
  let now = 10_000
  const allowance = openAllowance(() => now)
  for (let times = 0; times < 2_000; times += 1) expect(allowance.spend(10)).toBe(0)
  now += 400
  expect(allowance.spend(10)).toBe(600)
  now += 600
  expect(allowance.spend(10)).toBe(0)
  expect(allowance.spend(65 * 1024 * 1024)).toBe(1_000)
})

test('a gate lets so many in, and takes a place back from who holds it too long', async () => {
  const gate = openGate(1, 50)
  const leave = await gate.enter()
  const second = gate.enter()
  let isSecondIn = false
  void second.then(() => (isSecondIn = true))
  await Promise.resolve()
  expect(isSecondIn).toBe(false)
  leave()
  leave()
  await second
  await gate.enter()
})

test('what may be asked for as a header', () => {
  const property = (more: object) => ({ type: 'object', properties: { a: { type: 'string', ...more } } })
  expect(headerFault(property({ 'x-mcp-header': 'Region' }))).toBeUndefined()
  expect(headerFault(property({ default: { 'x-mcp-header': 7 } }))).toBeUndefined()
  expect(headerFault(property({ 'x-mcp-header': 'two words' }))).toMatch('no header has')
  expect(headerFault(property({ 'x-mcp-header': 'A', type: 'object' }))).toMatch('no simple value')
  expect(headerFault({ items: property({ 'x-mcp-header': 'A' }) })).toMatch('where no argument is')
  const twice = { a: { type: 'string', 'x-mcp-header': 'A' }, b: { type: 'string', 'x-mcp-header': 'a' } }
  expect(headerFault({ properties: twice })).toMatch('two arguments')
})
