import { expect, test } from 'vitest'
import { ruleFor } from './command-pattern.ts'

const rules = [
  { pattern: 'git push*', decision: 'ask' },
  { pattern: 'git *', decision: 'allow' },
  { pattern: 'rm *', decision: 'deny' },
] as const

test.each([
  ['git status', 'allow'],
  ['git push origin', 'ask'],
  ['cd x && git   push', 'ask'],
  ['git status; rm -rf /', 'deny'],
  ['git -C ../other status', undefined],
  ['ls', undefined],
  ['if true; then rm x; fi', 'deny'],
])('the first rule that is about %j says %s', (command, expected) => {
  expect(ruleFor(rules, command)?.decision).toBe(expected)
})
