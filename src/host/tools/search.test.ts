import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestWorkspace, rg } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'

let workspace: TestWorkspace
afterEach(() => workspace.close())

function put(path: string, content: string | Buffer = ''): void {
  mkdirSync(dirname(join(workspace.root, path)), { recursive: true })
  writeFileSync(join(workspace.root, path), content)
}
const paths = async (asked: object) => (await workspace.call('search', asked)).files.map(({ path }) => path)

// Without ripgrep names are found all the same, but nobody reads .gitignore.
describe.each([
  ['by ripgrep', rg],
  ['without it', null],
])('names %s', (_, program) => {
  beforeEach(() => {
    workspace = openTestWorkspace({ rg: program })
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/c.tsx', 'B.TS', '.env', '.git/config', 'src/.git/x.ts'])
      put(path)
    symlinkSync('/etc', join(workspace.root, 'etc'))
    symlinkSync('src', join(workspace.root, 'again'))
  })

  it('by glob, regular expression and exactly, in their order', async () => {
    expect(await paths({ pattern: '*.ts' })).toEqual(['a.ts', 'src/b.ts'])
    expect(await paths({ pattern: '*.ts', caseSensitive: false })).toEqual(['B.TS', 'a.ts', 'src/b.ts'])
    expect(await paths({ pattern: '**' })).toEqual(['B.TS', 'a.ts', 'src/b.ts', 'src/deep/c.tsx'])
    expect(await paths({ pattern: '^src/.*x$', type: 'regex' })).toEqual(['src/deep/c.tsx'])
    expect(await paths({ pattern: 'b.ts', type: 'exact' })).toEqual(['src/b.ts'])
    expect(await paths({ pattern: 'passwd' })).toEqual([])
    expect(await paths({ pattern: 'none' })).toEqual([])
  })

  it('with their metadata', async () => {
    put('a.ts', 'abc')
    expect((await workspace.call('search', { pattern: 'a.ts' })).files).toEqual([
      { path: 'a.ts', size: 3, mtime: expect.any(String) },
    ])
  })

  it('below a folder', async () => {
    expect(await paths({ pattern: '**', path: 'src' })).toEqual(['src/b.ts', 'src/deep/c.tsx'])
    expect(await paths({ pattern: '**', path: '/workspace/src/deep/' })).toEqual(['src/deep/c.tsx'])
    expect(await paths({ pattern: '**', path: 'again' })).toEqual(['src/b.ts', 'src/deep/c.tsx'])
    expect(await workspace.code('search', { pattern: '*', path: 'a.ts' })).toBe('not_a_folder')
    expect(await workspace.code('search', { pattern: '*', path: 'none' })).toBe('path_not_found')
  })

  it('that are hidden only when asked for, and never .git', async () => {
    expect(await paths({ pattern: '.env' })).toEqual([])
    expect(await paths({ pattern: '**', includeIgnored: true })).toEqual([
      '.env',
      'B.TS',
      'a.ts',
      'src/b.ts',
      'src/deep/c.tsx',
    ])
  })

  it('up to the limit, the first ones', async () => {
    for (let index = 0; index < 3000; index += 1) put(`many/${index}`)
    const expected = Array.from({ length: 3000 }, (_, index) => `many/${index}`).toSorted()
    for (const limit of [1, 7, 999, 2999])
      expect(await workspace.call('search', { pattern: 'many/*', limit })).toMatchObject({
        files: expected.slice(0, limit).map((path) => ({ path })),
        truncated: true,
      })
    expect(await workspace.call('search', { pattern: 'many/*', limit: 3000 })).toMatchObject({
      truncated: false,
    })
  })

  it('that cannot be sought are refused with the reason', async () => {
    for (const [type, pattern] of [
      ['glob', '['],
      ['regex', '(a'],
      ['regex', 'a{2'],
      ['exact', 'a\0'],
    ] as const) {
      const answer = await workspace.tools
        .call('search', { pattern, type }, new AbortController().signal)
        .catch((error: { code: string }) => error.code)
      expect(typeof answer === 'string' ? answer : 'fits nothing').toMatch(/^bad_pattern$|^fits nothing$/)
    }
    expect(await workspace.refused('search', { pattern: '(a', type: 'regex' })).toMatchObject({
      code: 'bad_pattern',
      message: expect.stringMatching(/group/i),
    })
  })

  it('by a pattern with which others would never end', async () => {
    put(`${'a'.repeat(200)}!`)
    const begun = performance.now()
    for (const [type, pattern] of [
      ['glob', `${'*a'.repeat(50)}*b`],
      ['regex', '^(a+)+$'],
    ] as const) {
      const answer = await workspace.tools.call('search', { pattern, type }, AbortSignal.timeout(2000)).then(
        () => 'answered',
        (error: { code: string }) => error.code,
      )
      expect(['answered', 'tool_timed_out', 'search_too_long']).toContain(answer)
    }
    expect(performance.now() - begun).toBeLessThan(15_000)
  })
})

describe.skipIf(rg === null)('.gitignore', () => {
  beforeEach(() => {
    workspace = openTestWorkspace()
    put('.gitignore', '*.log\n/build\n')
    for (const path of ['a.log', 'a.ts', 'build/x.ts', 'src/build/y.ts', 'src/b.log']) put(path, 'needle\n')
  })

  it('counts, also where there is no repository and below a folder', async () => {
    expect(await paths({ pattern: '**' })).toEqual(['a.ts', 'src/build/y.ts'])
    expect(await paths({ pattern: '*.log' })).toEqual([])
    expect(await paths({ pattern: '**', path: 'src' })).toEqual(['src/build/y.ts'])
    expect(await paths({ pattern: 'needle', type: 'content' })).toEqual(['a.ts', 'src/build/y.ts'])
  })

  it('does not when asked', async () => {
    const all = ['a.log', 'a.ts', 'build/x.ts', 'src/b.log', 'src/build/y.ts']
    expect(await paths({ pattern: '**', includeIgnored: true })).toEqual(['.gitignore', ...all])
    expect(await paths({ pattern: 'needle', type: 'content', includeIgnored: true })).toEqual(all)
  })
})

describe.skipIf(rg === null)('contents', () => {
  const content = (pattern: string, more: object = {}) =>
    workspace.call('search', { pattern, type: 'content', ...more })
  beforeEach(() => {
    workspace = openTestWorkspace()
  })

  it('are told by lines', async () => {
    put('b.txt', 'one\r\ntwo needle\r\nthree\nNeedle é\n')
    put('a.txt', 'needle')
    put('binary', Buffer.from('needle\0'))
    expect(await content('needle')).toMatchObject({
      files: [
        { path: 'a.txt', size: 6, matches: [{ line: 1, text: 'needle' }] },
        { path: 'b.txt', matches: [{ line: 2, text: 'two needle' }] },
      ],
      truncated: false,
    })
    expect((await content('needle É', { caseSensitive: false })).files).toMatchObject([
      { path: 'b.txt', matches: [{ line: 4, text: 'Needle é' }] },
    ])
    expect((await content('none')).files).toEqual([])
    expect(await content('needle', { path: 'none' }).catch((error: { code: string }) => error)).toMatchObject(
      {
        code: 'path_not_found',
      },
    )
  })

  it('are bounded: files, lines of a file, and the length of a line', async () => {
    for (let index = 0; index < 60; index += 1) put(`f${index}`, 'needle\n')
    expect(await content('needle', { limit: 50 })).toMatchObject({ truncated: true })
    expect((await content('needle', { limit: 50 })).files.map(({ path }) => path)).toEqual(
      Array.from({ length: 60 }, (_, index) => `f${index}`)
        .toSorted()
        .slice(0, 50),
    )
    put('many', 'haystack\n'.repeat(5000))
    const many = await content('haystack')
    expect(many.truncated).toBe(true)
    expect(many.files[0]!.matches).toHaveLength(100)
    put('long', `${'é'.repeat(1_000_000)}straw\n`)
    const [long] = (await content('straw')).files
    expect(long!.matches![0]!.text).toBe('é'.repeat(250))
  })

  it('are sought with a pattern that begins with a dash, and not with a broken one', async () => {
    put('a.txt', '--files\n')
    expect((await content('--files')).files).toHaveLength(1)
    expect((await workspace.refused('search', { pattern: 'a(', type: 'content' })).code).toBe('bad_pattern')
    expect((await workspace.refused('search', { pattern: String.raw`(?=a)b`, type: 'content' })).code).toBe(
      'bad_pattern',
    )
    put('bomb', 'a'.repeat(100_000))
    expect((await content('^(a+)+$')).files).toHaveLength(1)
  })

  it('are refused where there is no ripgrep, or one that cannot run', async () => {
    for (const program of [null, '/nowhere/rg']) {
      const other = openTestWorkspace({ rg: program })
      expect(await other.refused('search', { pattern: 'a', type: 'content' })).toMatchObject({
        code: 'command_not_started',
        message: expect.stringContaining('ripgrep'),
      })
      await other.close()
    }
  })
})

it('a search that nobody waits for any more ends', async () => {
  workspace = openTestWorkspace()
  put('a.txt')
  const signal = AbortSignal.abort()
  await expect(workspace.tools.call('search', { pattern: '**' }, signal)).rejects.toMatchObject({
    code: 'tool_timed_out',
  })
})

it('what ripgrep was led to elsewhere is not told', async () => {
  workspace = openTestWorkspace()
  const misled = join(workspace.outside, 'rg')
  writeFileSync(
    misled,
    String.raw`#!/bin/sh
case "$*" in
  *--files-with-matches*) echo a.txt ;;
  *--files*) printf 'a.txt\n../outside/rg\nlink/rg\n/etc/passwd\na.txt/x\n' ;;
  *) printf 'a.txt\0001:0:inside\na.txt\0002:7:SECRET\n' ;;
esac
`,
  )
  chmodSync(misled, 0o755)
  put('a.txt', 'inside\nsecond\n')
  symlinkSync(workspace.outside, join(workspace.root, 'link'))
  const other = openTestWorkspace({ root: workspace.root, rg: misled })
  expect((await other.call('search', { pattern: '**' })).files).toMatchObject([{ path: 'a.txt' }])
  expect((await other.call('search', { pattern: 'x', type: 'content' })).files).toMatchObject([
    { path: 'a.txt', matches: [{ line: 1, text: 'inside' }] },
  ])
  await other.close()
})
