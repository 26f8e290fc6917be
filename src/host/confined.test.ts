import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestWorkspace } from '../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../test/support/workspace-tools.ts'

let workspace: TestWorkspace
let root: string
let outside: string

beforeEach(() => {
  workspace = openTestWorkspace()
  ;({ root, outside } = workspace)
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'a/b/file.txt'), 'inside\n')
  writeFileSync(join(outside, 'secret.txt'), 'secret\n')
})
afterEach(() => workspace.close())

const contentOf = async (path: string) => (await workspace.call('read', { path })).content

describe('a path', () => {
  it.each([
    'a/b/file.txt',
    './a//b/./file.txt',
    'a/../a/b/file.txt',
    'a/b/../../a/b/file.txt',
    '/workspace/a/b/file.txt',
    '//workspace//a/b/file.txt',
  ])('%s is inside', async (path) => {
    expect(await workspace.call('read', { path })).toMatchObject({
      path: 'a/b/file.txt',
      content: 'inside\n',
    })
  })

  it('may begin with what the root is called on the machine', async () => {
    expect(await contentOf(`${root}/a/b/file.txt`)).toBe('inside\n')
    expect(await workspace.code('read', { path: `${root}-other/a` })).toBe('path_outside')
  })

  it.each([
    '..',
    '../outside/secret.txt',
    'a/../../outside/secret.txt',
    'a/b/../../../outside/secret.txt',
    '/etc/passwd',
    '/',
    '/proc/self/root/etc/passwd',
    '/workspace/../etc/passwd',
    '/workspace2/a',
    '/workspaces',
    `/${'../'.repeat(100)}etc/passwd`,
  ])('%s leads out', async (path) => {
    for (const tool of ['read', 'list'] as const)
      expect(await workspace.code(tool, { path })).toBe('path_outside')
    expect(await workspace.code('write', { path, content: 'x' })).toBe('path_outside')
    expect(await workspace.code('edit', { path, find: 'a', replace: 'b' })).toBe('path_outside')
    expect(await workspace.code('search', { pattern: '*', path })).toBe('path_outside')
    expect(await workspace.code('command', { command: 'pwd', cwd: path })).toBe('path_outside')
  })

  it.each([
    '%2e%2e/outside/secret.txt',
    '..%2foutside%2fsecret.txt',
    String.raw`..\outside\secret.txt`,
    '..%c0%af..%c0%afetc/passwd',
    '\u2025/outside/secret.txt',
    '.../outside',
    '~/x',
    '$HOME/x',
    'file:///etc/passwd',
  ])('%s is only an odd name', async (path) => {
    expect(await workspace.code('read', { path })).toBe('path_not_found')
  })

  it('without an end or with characters that no name has is refused', async () => {
    expect(await workspace.code('read', { path: 'a\0b' })).toBe('tool_input')
    expect(await workspace.code('read', { path: 'a/\ud800' })).toBe('tool_input')
    expect(await workspace.code('read', { path: 'a/'.repeat(2049) })).toBe('path_too_long')
    expect(await workspace.code('read', { path: 'é'.repeat(128) })).toBe('path_too_long')
    expect(await workspace.code('write', { path: 'x'.repeat(256), content: '' })).toBe('path_too_long')
    expect(await workspace.code('read', { path: 'a/'.repeat(2048) })).toBe('path_not_found')
    expect(await workspace.code('read', { path: 'x'.repeat(255) })).toBe('path_not_found')
  })

  it('through a file, or to a folder that is none, is refused', async () => {
    expect(await workspace.code('read', { path: 'a/b/file.txt/x' })).toBe('not_a_folder')
    expect(await workspace.code('read', { path: 'a/b/file.txt/' })).toBe('not_a_folder')
    expect(await workspace.code('read', { path: 'a/b' })).toBe('not_a_file')
    expect(await workspace.code('write', { path: 'a/b', content: '' })).toBe('not_a_file')
    expect(await workspace.code('list', { path: 'a/b/file.txt' })).toBe('not_a_folder')
  })
})

describe('a link', () => {
  it.each([
    ['b/file.txt', 'a/link'],
    ['./b/../b/file.txt', 'a/link'],
    ['../a/b/file.txt', 'a/link'],
    ['/workspace/a/b/file.txt', 'a/link'],
  ])('to %s is followed inside', async (target, link) => {
    symlinkSync(target, join(root, link))
    expect(await workspace.call('read', { path: link })).toMatchObject({
      path: 'a/b/file.txt',
      content: 'inside\n',
    })
  })

  it('to the root by its own path is followed', async () => {
    symlinkSync(join(root, 'a'), join(root, 'link'))
    expect(await contentOf('link/b/file.txt')).toBe('inside\n')
    expect(await contentOf('link/../a/b/file.txt')).toBe('inside\n')
  })

  it.each([
    '../outside/secret.txt',
    '../../etc/passwd',
    '/etc/passwd',
    '/proc/self/root/etc/passwd',
    '/proc/self/cwd/x',
    '/dev/zero',
    '/',
    '..',
  ])('to %s leads out, whatever is done', async (target) => {
    symlinkSync(target, join(root, 'link'))
    symlinkSync('link', join(root, 'chain'))
    for (const path of ['link', 'chain', 'a/../chain', 'chain/secret.txt']) {
      expect(await workspace.code('read', { path })).toBe('path_outside')
      expect(await workspace.code('list', { path })).toBe('path_outside')
      expect(await workspace.code('write', { path, content: 'x' })).toBe('path_outside')
      expect(await workspace.code('command', { command: 'pwd', cwd: path })).toBe('path_outside')
    }
    expect(readdirSync(outside)).toEqual(['secret.txt'])
  })

  it('is written through, and stays a link', async () => {
    symlinkSync('b/file.txt', join(root, 'a/link'))
    await workspace.call('write', { path: 'a/link', content: 'written\n' })
    await workspace.call('edit', { path: 'a/link', find: 'written', replace: 'edited' })
    expect(readFileSync(join(root, 'a/b/file.txt'), 'utf8')).toBe('edited\n')
    expect(readlinkSync(join(root, 'a/link'))).toBe('b/file.txt')
  })

  it('to nothing gets a file at its target', async () => {
    symlinkSync('b/new.txt', join(root, 'a/link'))
    expect(await workspace.code('read', { path: 'a/link' })).toBe('path_not_found')
    expect(await workspace.call('write', { path: 'a/link', content: 'x' })).toMatchObject({
      path: 'a/b/new.txt',
      created: true,
    })
  })

  it('may lead to 40 others, and in a circle to nothing', async () => {
    symlinkSync('a/b/file.txt', join(root, 'l0'))
    for (let index = 1; index <= 40; index += 1) symlinkSync(`l${index - 1}`, join(root, `l${index}`))
    expect(await contentOf('l39')).toBe('inside\n')
    expect(await workspace.code('read', { path: 'l40' })).toBe('path_too_long')
    symlinkSync('two', join(root, 'one'))
    symlinkSync('one', join(root, 'two'))
    expect(await workspace.code('read', { path: 'one' })).toBe('path_too_long')
    expect(await workspace.code('write', { path: 'one/x', content: '' })).toBe('path_too_long')
  })

  it('can be what leads to the root', async () => {
    symlinkSync(root, join(outside, 'way-in'))
    const other = openTestWorkspace({ root: join(outside, 'way-in') })
    expect(await other.call('read', { path: 'a/b/file.txt' })).toMatchObject({ content: 'inside\n' })
    expect(await other.call('read', { path: `${outside}/way-in/a/b/file.txt` })).toMatchObject({
      path: 'a/b/file.txt',
    })
    expect(await other.call('read', { path: `${root}/a/b/file.txt` })).toMatchObject({ path: 'a/b/file.txt' })
    expect(await other.code('read', { path: `${outside}/secret.txt` })).toBe('path_outside')
    await other.close()
  })
})

describe('what is no file', () => {
  it('is told apart, and nobody waits for it', async () => {
    spawnSync('mkfifo', [join(root, 'pipe')])
    const server = createServer().listen(join(root, 'socket'))
    await new Promise((resolve) => server.once('listening', resolve))
    symlinkSync('pipe', join(root, 'to-pipe'))
    for (const path of ['pipe', 'socket', 'to-pipe']) {
      expect(await workspace.code('read', { path })).toBe('special_file')
      expect(await workspace.code('read', { path, range: { start: 1, end: 2 } })).toBe('special_file')
      expect(await workspace.code('write', { path, content: 'x' })).toBe('special_file')
      expect(await workspace.code('edit', { path, find: 'a', replace: 'b' })).toBe('special_file')
    }
    expect(
      (await workspace.call('search', { pattern: '**', includeIgnored: true })).files.map(({ path }) => path),
    ).toEqual(['a/b/file.txt'])
    await new Promise((resolve) => server.close(resolve))
  })

  it.skipIf(process.getuid?.() !== 0)('a device is not opened', async () => {
    expect(spawnSync('mknod', [join(root, 'zero'), 'c', '1', '5']).status).toBe(0)
    expect(await workspace.code('read', { path: 'zero' })).toBe('special_file')
    expect(await workspace.code('write', { path: 'zero', content: 'x' })).toBe('special_file')
  })

  it.skipIf(process.getuid?.() === 0)('what may not be read is said so', async () => {
    chmodSync(join(root, 'a/b/file.txt'), 0o000)
    expect(await workspace.code('read', { path: 'a/b/file.txt' })).toBe('path_not_permitted')
  })
})

it('a folder that is gone is told, and found again when it is made anew, but not behind a link', async () => {
  await contentOf('a/b/file.txt')
  rmSync(root, { recursive: true })
  expect(await workspace.code('read', { path: 'a/b/file.txt' })).toBe('path_not_found')
  symlinkSync(outside, root)
  expect(await workspace.code('read', { path: 'secret.txt' })).toBe('path_not_found')
  rmSync(root)
  mkdirSync(root)
  writeFileSync(join(root, 'new.txt'), 'anew')
  expect(await contentOf('new.txt')).toBe('anew')
})

it('folders that were made for a file that could not be written are gone again', async () => {
  const refused = await workspace.refused('write', { path: 'x/y/z/', content: '' })
  expect(refused.code).toBe('not_a_file')
  expect(await workspace.code('write', { path: `x/y/${'z'.repeat(250)}/../../../..`, content: '' })).toBe(
    'path_outside',
  )
  expect(existsSync(join(root, 'x'))).toBe(false)
})

it('no handle stays open, whatever fails', async () => {
  symlinkSync('loop', join(root, 'loop'))
  symlinkSync('/etc', join(root, 'etc'))
  spawnSync('mkfifo', [join(root, 'a/pipe')])
  const failures = [
    ['read', { path: 'a/b/none' }],
    ['read', { path: 'a/b/file.txt/x' }],
    ['read', { path: 'a/b' }],
    ['read', { path: 'a/pipe' }],
    ['read', { path: 'a/b/../../loop/x' }],
    ['write', { path: 'a/etc/../../../x', content: '' }],
    ['write', { path: 'etc/x', content: '' }],
    ['edit', { path: 'a/b/file.txt', find: 'none', replace: '' }],
    ['list', { path: 'a/b/file.txt' }],
    ['write', { path: 'q/w/e/', content: '' }],
  ] as const
  for (const [tool, input] of failures) await workspace.refused(tool, input)
  const before = readdirSync('/proc/self/fd').length
  for (let round = 0; round < 100; round += 1)
    for (const [tool, input] of failures) await workspace.refused(tool, input)
  expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 20) // a thousand calls have failed
})
