import { expect, it } from 'vitest'
import { isLoopback } from './loopback.ts'

it.each(['localhost', 'LocalHost', '127.0.0.1', '127.8.9.10', '::1', '[::1]'])(
  '%s is this machine',
  (host) => {
    expect(isLoopback(host)).toBe(true)
  },
)

it.each([
  '0.0.0.0',
  '::',
  '[::]',
  '127.evil.example',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '1127.0.0.1',
  '',
])('%j may be another', (host) => {
  expect(isLoopback(host)).toBe(false)
})
