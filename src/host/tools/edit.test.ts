import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestWorkspace } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'

let workspace: TestWorkspace
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(() => workspace.close())

const put = (content: string) => writeFileSync(join(workspace.root, 'a.txt'), content)
const now = () => readFileSync(join(workspace.root, 'a.txt'), 'utf8')
const edit = (find: string, replace: string, more: object = {}) =>
  workspace.call('edit', { path: 'a.txt', find, replace, ...more })
const refused = (find: string, more: object = {}) =>
  workspace.refused('edit', { path: 'a.txt', find, replace: 'x', ...more })

describe('an edit', () => {
  it('replaces the one place, and tells what has changed', async () => {
    put('one\ntwo\nthree\n')
    expect(await edit('two', 'TWO')).toMatchObject({
      path: 'a.txt',
      replacements: 1,
      sizeBefore: 14,
      sizeAfter: 14,
      diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n',
    })
    expect(now()).toBe('one\nTWO\nthree\n')
  })

  it('of what is there several times changes nothing, and tells where', async () => {
    put('a\nb a\n\na\n')
    expect(await refused('a')).toMatchObject({
      code: 'many_matches',
      context: { count: 3, lines: [1, 2, 4] },
    })
    expect(now()).toBe('a\nb a\n\na\n')
    put('a\n'.repeat(50))
    const { context } = await refused('a')
    expect(context).toMatchObject({ count: 50, lines: Array.from({ length: 20 }, (_, index) => index + 1) })
  })

  it('may be of the first, or of all', async () => {
    put('aXbXaX')
    expect(await edit('X', '-', { first: true })).toMatchObject({ replacements: 1 })
    expect(now()).toBe('a-bXaX')
    expect(await edit('X', 'XX', { all: true })).toMatchObject({ replacements: 2 })
    expect(now()).toBe('a-bXXaXX')
    expect((await refused('X', { first: true, all: true })).code).toBe('tool_input')
  })

  it('takes what it finds and what it puts there literally', async () => {
    put('a.*b $& c')
    await edit('.*b $&', "$& $1 $' \\n")
    expect(now()).toBe("a$& $1 $' \\n c")
  })

  it('that would make a file of many gigabytes is refused', async () => {
    put('a'.repeat(1 << 20))
    expect(
      (await workspace.refused('edit', { path: 'a.txt', find: 'a', replace: 'b'.repeat(1000), all: true }))
        .code,
    ).toBe('file_too_large')
  })

  it('expects the file to be the one that was read', async () => {
    put('one')
    const { hash } = await workspace.call('read', { path: 'a.txt' })
    put('one two')
    expect((await refused('one', { expectedHash: hash })).code).toBe('file_changed')
    const { hash: later } = await workspace.call('read', { path: 'a.txt' })
    const edited = await edit('one', '1', { expectedHash: later })
    expect(edited.hash).toBe((await workspace.call('read', { path: 'a.txt' })).hash)
  })

  it('of many at the same time is lost by none', async () => {
    put(Array.from({ length: 20 }, (_, index) => `line ${index};\n`).join(''))
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        for (;;) {
          const isDone = await edit(`line ${index};`, `done ${index};`).then(
            () => true,
            (error: { code: string }) => error.code !== 'file_changed',
          )
          if (isDone) return
        }
      }),
    )
    expect(now()).toBe(Array.from({ length: 20 }, (_, index) => `done ${index};\n`).join(''))
  })
})

describe('the nearest miss', () => {
  it('is what differs in white space only', async () => {
    put('function a() {\n    return 1\n}\n\nfunction b() {\n\treturn 2\n}\n')
    expect(await refused('function b() {\n  return 2\n}')).toMatchObject({
      code: 'no_match',
      message: expect.stringContaining('but for white space it does'),
      context: { count: 0, nearest: { line: 5, text: 'function b() {', differsInSpace: true } },
    })
  })

  it('is else the line that looks most like it', async () => {
    put('import { one } from "./one.ts"\nexport const answerToAll = 42\nlet x = 1\n')
    expect((await refused('export const answerToAII = 42;')).context).toMatchObject({
      nearest: { line: 2, text: 'export const answerToAll = 42' },
    })
  })

  it('is nothing when nothing is near, and is found quickly in a large file', async () => {
    put(`${'lorem ipsum '.repeat(20)}\n`.repeat(30_000))
    const begun = performance.now()
    expect((await refused('ZZZ QQQ XXX')).context).toMatchObject({ nearest: null })
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})

describe('what is kept', () => {
  it('CRLF, also where the one who asks does not know of it', async () => {
    put('one\r\ntwo\r\nthree\r\n')
    await edit('one\ntwo', '1\n2\n2b')
    expect(now()).toBe('1\r\n2\r\n2b\r\nthree\r\n')
    await edit('three', '3\n4')
    expect(now()).toBe('1\r\n2\r\n2b\r\n3\r\n4\r\n')
    await edit('3\r\n4', '5\r\n6')
    expect(now()).toBe('1\r\n2\r\n2b\r\n5\r\n6\r\n')
  })

  it('both kinds of ends in a file that has both', async () => {
    put('one\r\ntwo\nthree\n')
    await edit('two', '2\n2b')
    expect(now()).toBe('one\r\n2\n2b\nthree\n')
  })

  it('a byte order mark', async () => {
    put('\ufeffone\n')
    await edit('one', 'two')
    expect(now()).toBe('\ufefftwo\n')
  })

  it('all names of the file', async () => {
    put('one')
    linkSync(join(workspace.root, 'a.txt'), join(workspace.root, 'b.txt'))
    await edit('one', 'three')
    expect(readFileSync(join(workspace.root, 'b.txt'), 'utf8')).toBe('three')
    await edit('three', '3')
    expect(readFileSync(join(workspace.root, 'b.txt'), 'utf8')).toBe('3')
  })

  it('the file itself when nothing changes', async () => {
    put('one')
    const { ino } = statSync(join(workspace.root, 'a.txt'))
    expect(await edit('one', 'one')).toMatchObject({ replacements: 1, diff: '' })
    expect(statSync(join(workspace.root, 'a.txt')).ino).toBe(ino)
  })

  it('what is no text', async () => {
    writeFileSync(join(workspace.root, 'a.txt'), Buffer.from('\ufeffone', 'utf16le'))
    expect((await refused('one')).code).toBe('not_text')
  })
})
