import { describe, expect, it } from 'vitest'
import { pairsOf, rowsOf } from './diff-rows.ts'
import type { ShownFile } from './diff-rows.ts'
import { parseDiff } from './parse-diff.ts'
import { changedPart } from './word-change.ts'

const text = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,4 +1,4 @@ function one() {
 same
--- two
+++ three
+more
-gone
 end
@@ -20 +21 @@
-x
\\ No newline at end of file
+y
\\ No newline at end of file
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git "a/gr\\303\\274n\\n.txt" "b/gr\\303\\274n\\n.txt"
new file mode 100644
--- /dev/null
+++ "b/gr\\303\\274n\\n.txt"
@@ -0,0 +1,2 @@
+one
+
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-was
diff --git a/bin b/bin
Binary files a/bin and b/bin differ
`

describe('a diff', () => {
  const files = parseDiff(text)

  it('is read file by file, whatever a file is called', () => {
    expect(files.map(({ path, oldPath, isBinary }) => [path, oldPath, isBinary])).toEqual([
      ['a.txt', null, false],
      ['new name.txt', 'old name.txt', false],
      ['grün\n.txt', null, false],
      ['gone', null, false],
      ['bin', null, true],
    ])
  })

  it('counts lines on both sides, and takes no line for the name of a file', () => {
    expect(files[0]?.hunks[0]?.heading).toBe('function one() {')
    expect(
      files[0]?.hunks.map(({ lines }) => lines.map((line) => [line.before, line.after, line.text])),
    ).toEqual([
      [
        [1, 1, 'same'],
        [2, null, '-- two'],
        [null, 2, '++ three'],
        [null, 3, 'more'],
        [3, null, 'gone'],
        [4, 4, 'end'],
      ],
      [
        [20, null, 'x'],
        [null, 21, 'y'],
      ],
    ])
  })

  it('stands beside each other what came in the place of what', () => {
    const pairs = pairsOf(files[0]?.hunks[0]?.lines ?? []).map((pair) => pair.map((line) => line?.text))
    expect(pairs).toEqual([
      ['same', 'same'],
      ['-- two', '++ three'],
      [undefined, 'more'],
      ['gone', undefined],
      ['end', 'end'],
    ])
  })

  it('is read as far as it goes when it was cut', () => {
    for (let length = 0; length < text.length; length += 7) parseDiff(text.slice(0, length))
    expect(parseDiff(text.slice(0, text.indexOf('+more')))[0]?.hunks[0]?.lines).toHaveLength(3)
    expect(parseDiff('')).toEqual([])
  })

  it('has a comment below its line, and above all of its file once that line is another', () => {
    const shown: ShownFile[] = files
      .slice(0, 1)
      .map((file) => ({ ...file, change: 'modified', additions: 3, deletions: 3, isCut: false }))
    const comment = {
      id: 'c',
      path: 'a.txt',
      side: 'after',
      from: 2,
      to: 3,
      quote: '++ three\nmore',
      text: '',
      isOpen: true,
    } as const
    const kinds = (quote: string, isSplit: boolean) =>
      rowsOf({ files: shown, isSplit, folded: new Set(), comments: [{ ...comment, quote }] }).map((row) =>
        row.kind === 'comment' ? `comment ${row.isMoved}` : row.kind,
      )
    expect(kinds(comment.quote, false).indexOf('comment false')).toBe(5)
    expect(kinds(comment.quote, true).indexOf('comment false')).toBe(4)
    expect(kinds('++ three\nother', false)[1]).toBe('comment true')
    expect(rowsOf({ files: shown, isSplit: false, folded: new Set(['a.txt']), comments: [] })).toHaveLength(1)
  })
})

it('marks in a line what is other than before, and nothing where all is', () => {
  expect(changedPart('pull(): boolean {', 'pull(): void {')).toEqual([8, 15])
  expect(changedPart('abc', 'xyz')).toBeNull()
  expect(changedPart('same', undefined)).toBeNull()
  expect(changedPart('aa', 'aaa')).toBeNull()
})
