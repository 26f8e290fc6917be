import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unifiedDiff } from './diff.ts'
import { occurrences, replaceAt } from './replace-text.ts'

const diffOf = (before: string, find: string, replace: string) => {
  const { text, changes } = replaceAt(before, occurrences(before, find), { find, replace })
  return { after: text, diff: unifiedDiff('a.txt', before, text, changes) }
}

test('places far from each other are told apart, and those nearby together', () => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`)
  lines[1] = lines[4] = lines[25] = 'X'
  const { diff } = diffOf(`${lines.join('\n')}\n`, 'X', 'Y')
  expect(diff.match(/^@@.*@@$/gm)).toEqual(['@@ -1,8 +1,8 @@', '@@ -23,7 +23,7 @@'])
})

test('the end of a file without a newline is told', () => {
  expect(diffOf('a\nb', 'b', 'c').diff).toBe(
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n',
  )
  expect(diffOf('a\n', 'a\n', '').diff).toBe('--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +0,0 @@\n-a\n')
})

test('a last line that goes is not another one that comes', () => {
  expect(diffOf('\n\n\n\nX', 'X', '').diff).toBe(
    '--- a/a.txt\n+++ b/a.txt\n@@ -2,4 +2,3 @@\n \n \n \n-X\n\\ No newline at end of file\n',
  )
})

test('a very long one is cut, and says so', () => {
  const { diff } = diffOf('x\n'.repeat(100_000), 'x', 'y')
  expect(diff.length).toBeLessThan(70_000)
  expect(diff).toMatch(/\\ The diff is longer than this\n$/)
})

test('one change of very many lines is cut too', () => {
  const { diff } = diffOf(`a\n${'x\n'.repeat(500_000)}b\n`, 'x\n'.repeat(500_000), 'y\n'.repeat(500_000))
  expect(diff.length).toBeLessThan(70_000)
})

test('git makes the new text of the old one with it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'diff-'))
  const file = join(folder, 'a.txt')
  const piece = fc.constantFrom('a', 'b', '\n', 'X', 'c\n', '\n\n\n\n\n\n\n\n')
  const text = fc.array(piece, { minLength: 1, maxLength: 40 }).map((pieces) => pieces.join(''))
  const part = fc.constantFrom('a', '\n', 'X', 'b\n', 'a\nb', '\n\n')
  try {
    fc.assert(
      fc.property(
        text,
        part,
        fc.constantFrom('', 'q', '\n', 'q\nr', 'a\n', '\nX'),
        (before, find, replace) => {
          const { after, diff } = diffOf(before, find, replace)
          if (diff === '') return after === before
          writeFileSync(file, before)
          const applied = spawnSync('git', ['apply', '--whitespace=nowarn', '--unidiff-zero', '-'], {
            cwd: folder,
            input: diff,
            encoding: 'utf8',
          })
          expect(applied.stderr).toBe('')
          return (existsSync(file) ? readFileSync(file, 'utf8') : '') === after
        },
      ),
      { numRuns: 150 },
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})
