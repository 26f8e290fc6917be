import { expect, test } from 'vitest'
import { readValue, shownValue, writtenValue } from './setting-value.ts'

test.each([
  ['sessionTtlMs', 86_400_000, '1 d'],
  ['heartbeatIntervalMs', 5000, '5 s'],
  ['staleAfterMs', 1500, '1500 ms'],
  ['sessionTtlMs', 90 * 60_000, '90 min'],
  ['minFreeDiskBytes', 5 * 1024 ** 3, '5 GB'],
  ['minFreeDiskBytes', 0, '0 B'],
  ['maxOutputTokens', 8192, '8192'],
  ['budgetPerDayUsd', 0.5, '0.5'],
  ['corsOrigins', ['http://a', 'http://b'], 'http://a\nhttp://b'],
  ['llmModel', 'gpt-5', 'gpt-5'],
] as const)('%s %j is written %s, and read the same again', (key, value, text) => {
  expect(writtenValue(key, value)).toBe(text)
  expect(readValue(key, text)).toEqual({ value })
})

test.each([
  ['sessionTtlMs', '24h', 86_400_000],
  ['sessionTtlMs', ' 2 H ', 7_200_000],
  ['staleAfterMs', '30000', 30_000],
  ['minFreeDiskBytes', '1.5gb', 1.5 * 1024 ** 3],
  ['maxHistoryTokens', '30,000', 30_000],
] as const)('%s is also read from %s', (key, text, value) => {
  expect(readValue(key, text)).toEqual({ value })
})

test.each([
  ['sessionTtlMs', 'soon'],
  ['sessionTtlMs', '5 parsecs'],
  ['minFreeDiskBytes', '-1 GB'],
  ['maxOutputTokens', ''],
  ['maxOutputTokens', 'many'],
] as const)('%s cannot be %j', (key, text) => {
  expect(readValue(key, text)).toEqual({ problem: expect.any(String) })
})

test('values are told with their units, and none is said to be none', () => {
  expect(shownValue('maxOutputTokens', 8192)).toBe('8,192 tokens')
  expect(shownValue('budgetPerDayUsd', null)).toBe('Not set')
  expect(shownValue('historyCompression', false)).toBe('No')
  expect(shownValue('corsOrigins', [])).toBe('Not set')
})
