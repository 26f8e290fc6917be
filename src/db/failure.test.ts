import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { isDatabaseAway } from './failure.ts'

const withCode = (code: string, more: object = {}) => Object.assign(new Error('failed'), { code, ...more })

test.each([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  '08006',
  '25006',
  '53100',
  '55P03',
  '57014',
  '57P01',
  '40P01',
])('%s means that the database is away or busy', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(true)
  expect(isDatabaseAway(new Error('query failed', { cause: withCode(code) }))).toBe(true)
})

test.each(['23505', '42703', '22P02', 'ENOENT', 'EACCES'])('%s does not', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(false)
})

test('a socket that is not there is a database that is away; a file that is not there is not', async () => {
  const error = await new Promise((resolve) => connect('/nowhere/at/all').on('error', resolve))
  expect(isDatabaseAway(error)).toBe(true)
})
