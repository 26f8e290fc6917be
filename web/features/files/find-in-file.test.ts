import { expect, it } from 'vitest'
import { matchesIn, piecesOf } from './find-in-file.ts'
import { entriesOf } from './tree-rows.ts'

it('finds a text in lines, whatever its case, and marks it where its place is certain', () => {
  const lines = ['One two', 'three', 'TWO two']
  expect(matchesIn(lines, 'two')).toEqual([0, 2])
  expect(matchesIn(lines, '')).toEqual([])
  expect(piecesOf('TWO and two', 'two')).toEqual(['', 'TWO', ' and ', 'two', ''])
  expect(piecesOf('İstanbul two', 'two')).toEqual(['İstanbul two'])
})

it('shows folders first, and what is open with what is in it, as far as it is read', () => {
  const mtime = '2026-01-01T00:00:00.000Z'
  const entry = (name: string, kind: 'file' | 'folder') => ({ name, kind, size: 1, mtime })
  const listed = (...entries: ReturnType<typeof entry>[]) => ({
    data: { path: '', entries, truncated: false, executionTime: 1 },
  })
  const known = new Map([
    ['', listed(entry('z.txt', 'file'), entry('b', 'folder'), entry('a', 'folder'))],
    ['a', listed(entry('inner.txt', 'file'))],
  ])
  const rows = entriesOf(known, new Set(['a', 'b'])).map(({ kind, path, depth }) => [kind, path, depth])
  expect(rows).toEqual([
    ['folder', 'a', 0],
    ['file', 'a/inner.txt', 1],
    ['folder', 'b', 0],
    ['note', expect.stringContaining('b//'), 1],
    ['file', 'z.txt', 0],
  ])
})
