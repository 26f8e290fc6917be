import { expect, test } from 'vitest'
import { onlyLooks } from './only-looks.ts'

test.each([
  'cat a',
  'cat \'a b\' "c d"',
  'ls -la src',
  'pwd',
  'head -20 a',
  'head -n 20 a',
  'tail -n +5 a',
  'wc -l a b',
  'grep -rn needle src',
  'git status --short',
  'git log --oneline -5 main..feature',
  'git diff --stat HEAD -- src',
  'git show HEAD',
])('%j only looks', (command) => {
  expect(onlyLooks(command)).toBe(true)
})

test.each([
  '',
  'find . -delete',
  'find .',
  'cat a | tee b',
  'cat a > b',
  'cat a; rm b',
  'cat a\nrm b',
  'cat a\rrm b',
  'cat a & rm b',
  'cat $(rm b)',
  'cat "$(rm b)"',
  'cat `rm b`',
  'cat <(rm b)',
  'cat ~/.ssh/*',
  'rg --pre ./evil x',
  'rg x',
  'sed -n 1w/etc/x a',
  'sort -o b a',
  'tail -f a',
  'grep --include=x y',
  './cat a',
  'X=1 cat a',
  'command cat a',
  'git',
  'git -c core.pager=./evil log',
  'git --exec-path=. status',
  'git -C elsewhere status',
  'git log --output=b',
  'git diff --ext-diff',
  'git diff --no-index a b',
  'git show --textconv',
  'git push',
  'constructor a',
  'git constructor',
  '/bin/bash -lc "cat a"',
])('%j may do more', (command) => {
  expect(onlyLooks(command)).toBe(false)
})
