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
  ['git \\\npush', 'ask'],
  ['git pu\\\r\nsh', 'ask'],
  ['r\\\nm x', 'deny'],
  ['"rm" x', 'deny'],
  ["'r'm x", 'deny'],
  ['r\\m x', 'deny'],
  ["$'rm' x", 'deny'],
  ['cd x && "git" \'push\' origin', 'ask'],
  ['FOO=1 rm x', 'deny'],
  ['FOO=1 BAR="two; words" \\\n  rm x', 'deny'],
  ['A=\'b c\' D=e\\ f "rm" x', 'deny'],
  ['A=$HOME rm x', 'deny'],
  ['A=${HOME} rm x', 'deny'],
  ['A=$(date) rm x', 'deny'],
  ['ls; A=1 rm x', 'deny'],
  ['if A=1 rm x; then ls; fi', 'deny'],
  ['ls A=1 rm x', undefined],
])('the first rule that is about %j says %s', (command, expected) => {
  expect(ruleFor(rules, command)?.decision).toBe(expected)
})

test.each(['git \\\nstatus', '"git" status', 'g\\it status', 'FOO=1 git status'])(
  'a rule that allows is particular about the spelling: %j',
  (command) => {
    expect(ruleFor(rules, command)).toBeUndefined()
  },
)

test('a rule can be about quotes, backslashes and assignments too', () => {
  const about = (pattern: string, command: string) => ruleFor([{ pattern, decision: 'deny' }], command)
  expect(about('echo "a"*', 'echo "a" b')).toBeDefined()
  expect(about('FOO=*', 'FOO=1 make')).toBeDefined()
  expect(about(String.raw`grep a\\.b *`, String.raw`grep a\.b c`)).toBeDefined()
})

test.each([
  ['\n', ''],
  [' ', ''],
  ['A=', ''],
  ['{A=', ''],
  [';A="', ''],
  [';A=\'"', ''],
  ['A=1 ', '"'],
  ['\\', ''],
  [';A=";A=""', ''],
])('a command that is %j over and over is read in no time', (piece, end) => {
  const begun = performance.now()
  expect(ruleFor(rules, piece.repeat(131_072 / piece.length) + end)).toBeUndefined()
  expect(performance.now() - begun).toBeLessThan(20_000)
})
