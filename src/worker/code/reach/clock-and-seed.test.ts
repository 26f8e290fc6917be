import { expect, test } from 'vitest'
import { clockAndSeed } from './clock-and-seed.ts'
import { grantsWith } from './fixtures/grants.ts'

test('without leave the clock stands still at the start, and chance follows from the request', () => {
  const denied = clockAndSeed(grantsWith(), 'a', 1_234)
  expect(denied).toEqual(clockAndSeed(grantsWith(), 'a', 1_234))
  expect(denied.clockMs).toBe(1_234)
  expect(denied.seed).toHaveLength(4)
  expect(clockAndSeed(grantsWith(), 'b').seed).not.toEqual(denied.seed)
})

test('with leave they are the real ones', () => {
  const system = { time: true, random: true }
  const given = clockAndSeed(grantsWith({ system }), 'a')
  expect(given.clockMs).toBeNull()
  expect(clockAndSeed(grantsWith({ system }), 'a').seed).not.toEqual(given.seed)
})
