import { expect, it } from 'vitest'
import { newBackoff } from './backoff.ts'

it('waits twice as long each time, up to five seconds', () => {
  const backoff = newBackoff()
  const delays = Array.from({ length: 9 }, () => backoff(50))
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000])
})

it('begins again after a second of life', () => {
  const backoff = newBackoff()
  expect([50, 50, 999, 1_000, 50].map(backoff)).toEqual([100, 200, 400, 100, 200])
})
