import { expect, test } from 'vitest'
import { openCallRate } from './call-rate.ts'

function counting(perMinute: number, keys?: number) {
  let at = 1_000_000
  const rate = openCallRate({ perMinute, ...(keys && { keys }), now: () => at })
  const takes = (times: number, key = 'a') =>
    Array.from({ length: times }, () => rate.take(key)).filter((wait) => wait === undefined).length
  return { rate, pass: (seconds: number) => (at += seconds * 1000), takes }
}

test('lets through as many as fit into a minute, each key for itself', () => {
  const { rate, takes, pass } = counting(1000)
  expect(takes(1005)).toBe(1000)
  expect(rate.take('a')).toBe(61)
  expect(takes(1000, 'b')).toBe(1000)
  pass(60)
  expect(rate.take('a')).toBe(1)
  pass(1)
  expect(takes(1005)).toBe(1000)
})

test('in no minute are there more, however they are spread, and what it says to wait is enough', () => {
  const { rate, pass } = counting(20)
  const times: number[] = []
  for (let asked = 0; asked < 400; asked++) {
    pass((asked * 7919) % 5)
    const wait = rate.take('a')
    times.push(pass(wait ?? 0))
    expect(wait === undefined || rate.take('a') === undefined).toBe(true)
  }
  for (const from of times)
    expect(times.filter((at) => at >= from && at < from + 60_000).length).toBeLessThanOrEqual(20)
})

test('of too many keys the quietest is forgotten', () => {
  const { takes } = counting(10, 2)
  expect(takes(10)).toBe(10)
  takes(1, 'b')
  expect(takes(1)).toBe(0)
  takes(1, 'c')
  takes(1, 'd')
  expect(takes(11)).toBe(10)
})
