import { expect, it } from 'vitest'
import { exitCodeOf } from './ending.ts'

it.each([
  ['succeeded', 0, 0],
  ['failed', 3, 3],
  ['failed', 125, 125],
  ['failed', 126, 1],
  ['failed', 255, 1],
  ['failed', 0, 1], // ended well by itself, and failed for another reason: too much output, a shutdown
  ['failed', null, 1],
  ['cancelled', null, 130],
  ['cancelled', 0, 130],
  ['timed_out', null, 124],
] as const)('%s with %s ends with %d', (status, exitCode, expected) => {
  expect(exitCodeOf({ status, exitCode, error: null })).toBe(expected)
})
