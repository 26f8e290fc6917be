import { expect, test } from 'vitest'
import { kindsOf } from './diff-lines.ts'

const kinds = (text: string) => kindsOf(text.split('\n')).join(' ')

test('the names of files are neither added nor removed', () => {
  const one = 'diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new'
  expect(kinds(`${one}\n${one}`)).toBe(
    Array.from({ length: 2 }, () => 'head head head head place same removed added').join(' '),
  )
  expect(kinds('--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+new\n\\ No newline at end of file')).toBe(
    'head head place added same',
  )
})

test('within a hunk a line that looks like a name is a line', () => {
  expect(kinds('@@ -1,2 +1,2 @@\n--- a comment\n+++ another\n context\n--- a/next\n+++ b/next')).toBe(
    'place removed added same head head',
  )
})

test('a hunk that is shorter than it says does not swallow the next file', () => {
  expect(kinds('@@ -1,20 +1,20 @@\n-one\ndiff --git a/y b/y\n--- a/y\n+++ b/y')).toBe(
    'place removed head head head',
  )
})

test('what tells no places is coloured by its marks alone', () => {
  expect(kinds('@@\n-one\n+two\n three\n')).toBe('place removed added same same')
})
