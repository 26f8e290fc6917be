import { expect, test } from 'vitest'
import { costOf, dollars, everyDay } from './amounts.ts'

const part = (day: string, costUsd: number) => ({
  day,
  costUsd,
  turns: 1,
  inputTokens: 10,
  outputTokens: 5,
  unpriced: 0,
})

test('fills in the days on which nothing was spent, over the end of a month', () => {
  const days = everyDay({
    since: '2026-02-27',
    today: '2026-03-02',
    parts: [part('2026-02-28', 2), part('2026-03-02', 1)],
  })
  expect(days.map(({ day, costUsd, tokens }) => [day, costUsd, tokens])).toEqual([
    ['2026-02-27', 0, 0],
    ['2026-02-28', 2, 15],
    ['2026-03-01', 0, 0],
    ['2026-03-02', 1, 15],
  ])
})

test('less than a cent is not nothing, and what nobody knows is not free', () => {
  expect([dollars(0), dollars(0.001), dollars(1234.5)]).toEqual(['$0.00', '< $0.01', '$1,234.50'])
  expect(costOf({ costUsd: 0, turns: 2, unpriced: 2 })).toBe('unknown')
  expect(costOf({ costUsd: 1, turns: 2, unpriced: 1 })).toBe('$1.00')
  expect(costOf({ costUsd: 0, turns: 0, unpriced: 0 })).toBe('$0.00')
})
