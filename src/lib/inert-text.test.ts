import { expect, it } from 'vitest'
import { inert, inertLine } from './inert-text.ts'

it('spells out what would move the cursor, hide or reorder', () => {
  expect(inert('\u001b[2J\u0007\u009b31m\u007f')).toBe('\\u001b[2J\\u0007\\u009b31m\\u007f')
  expect(inert('safe\u202egpj.exe')).toBe('safe\\u202egpj.exe')
  expect(inert('one\ntwo\tthree\r')).toBe('one\ntwo\tthree\\u000d')
  expect(inertLine('one\r\ntwo\tthree\u2028four')).toBe('one two three four')
  expect(inert('naïve 日本語 👍')).toBe('naïve 日本語 👍')
})
