import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestWorkspace } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'

let workspace: TestWorkspace
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(() => workspace.close())

const at = (name: string) => join(workspace.root, name)
const sha = (content: string) => createHash('sha256').update(content).digest('hex')
const isRoot = process.getuid?.() === 0

it('a new file, with the folders that it is in', async () => {
  expect(await workspace.call('write', { path: 'a/b/c.txt', content: 'é\n' })).toMatchObject({
    path: 'a/b/c.txt',
    size: 3,
    created: true,
    hash: sha('é\n'),
  })
  expect(readFileSync(at('a/b/c.txt'), 'utf8')).toBe('é\n')
  expect(statSync(at('a/b/c.txt')).mode & 0o777).toBe(0o666 & ~process.umask())
  expect(readdirSync(at('a/b'))).toEqual(['c.txt'])
})

it('an old file is replaced at once, and keeps its mode', async () => {
  writeFileSync(at('run.sh'), 'old')
  chmodSync(at('run.sh'), 0o4751)
  const { ino } = statSync(at('run.sh'))
  expect(await workspace.call('write', { path: 'run.sh', content: '' })).toMatchObject({
    created: false,
    size: 0,
  })
  expect(statSync(at('run.sh')).mode & 0o7777).toBe(0o4751)
  expect(statSync(at('run.sh')).ino).not.toBe(ino)
  expect(readdirSync(workspace.root)).toEqual(['run.sh'])
})

it.skipIf(!isRoot)('an old file keeps its owner', async () => {
  writeFileSync(at('a.txt'), 'old')
  chownSync(at('a.txt'), 12_345, 23_456)
  chmodSync(at('a.txt'), 0o2755)
  await workspace.call('write', { path: 'a.txt', content: 'new' })
  expect(statSync(at('a.txt'))).toMatchObject({ uid: 12_345, gid: 23_456 })
  expect(statSync(at('a.txt')).mode & 0o7777).toBe(0o2755)
})

it('a file with several names is the same under all of them afterwards', async () => {
  writeFileSync(at('one'), 'old and longer')
  linkSync(at('one'), at('two'))
  for (const content of ['new', 'newer and much longer than that', '']) {
    await workspace.call('write', { path: 'one', content })
    expect(readFileSync(at('two'), 'utf8')).toBe(content)
  }
  expect(statSync(at('one')).nlink).toBe(2)
})

it.skipIf(isRoot)('what may not be written stays as it is', async () => {
  writeFileSync(at('a.txt'), 'old')
  chmodSync(at('a.txt'), 0o444)
  expect(await workspace.code('write', { path: 'a.txt', content: 'new' })).toBe('path_not_permitted')
  mkdirSync(at('closed'))
  chmodSync(at('closed'), 0o555)
  expect(await workspace.code('write', { path: 'closed/x', content: 'new' })).toBe('path_not_permitted')
  expect(readFileSync(at('a.txt'), 'utf8')).toBe('old')
})

it.skipIf(isRoot)('a file in a folder that takes no new ones is written into', async () => {
  mkdirSync(at('closed'))
  writeFileSync(at('closed/a.txt'), 'old')
  chmodSync(at('closed'), 0o555)
  await workspace.call('write', { path: 'closed/a.txt', content: 'new' })
  expect(readFileSync(at('closed/a.txt'), 'utf8')).toBe('new')
  chmodSync(at('closed'), 0o755)
})

describe('a hash that is expected', () => {
  it('has to be that of the file', async () => {
    writeFileSync(at('a.txt'), 'old')
    const write = (expectedHash: string | null) => ({ path: 'a.txt', content: 'new', expectedHash })
    expect(await workspace.code('write', write(sha('other')))).toBe('file_changed')
    expect(await workspace.code('write', write(null))).toBe('file_exists')
    expect(await workspace.code('write', { ...write(sha('old')), path: 'none.txt' })).toBe('file_changed')
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('old')
    await workspace.call('write', write(sha('old')))
    expect(readFileSync(at('a.txt'), 'utf8')).toBe('new')
    expect(await workspace.call('write', { ...write(null), path: 'b.txt' })).toMatchObject({ created: true })
  })

  it('lets one of many who want to be the first be it', async () => {
    const tries = Array.from({ length: 20 }, (_, index) =>
      workspace.call('write', { path: 'a.txt', content: `${index}`, expectedHash: null }).then(
        () => 'written',
        (error: { code: string }) => error.code,
      ),
    )
    expect((await Promise.all(tries)).filter((outcome) => outcome === 'written')).toHaveLength(1)
  })

  it('loses no edit of many at the same time', async () => {
    writeFileSync(at('count'), '0')
    const add = async (): Promise<void> => {
      for (;;) {
        const { content, hash } = await workspace.call('read', { path: 'count' })
        const next = { path: 'count', content: `${Number(content) + 1}`, expectedHash: hash }
        const isDone = await workspace.call('write', next).then(
          () => true,
          () => false,
        )
        if (isDone) return
      }
    }
    await Promise.all(Array.from({ length: 8 }, add))
    expect(readFileSync(at('count'), 'utf8')).toBe('8')
  })
})

it('no reader ever sees a part', async () => {
  const contents = ['1', '2'].map((one) => one.repeat(500_000))
  writeFileSync(at('a.txt'), contents[0]!)
  const seen = new Set<string>()
  let isWriting = true
  const reader = (async () => {
    while (isWriting) {
      seen.add(readFileSync(at('a.txt'), 'utf8'))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  for (let round = 0; round < 40; round += 1)
    await workspace.call('write', { path: 'a.txt', content: contents[round % 2]! })
  isWriting = false
  await reader
  expect([...seen].every((text) => contents.includes(text))).toBe(true)
})

it('text that cannot be written as it is, is refused', async () => {
  expect(await workspace.code('write', { path: 'a.txt', content: '\ud800' })).toBe('tool_input')
  expect(lstatSync(at('a.txt'), { throwIfNoEntry: false })).toBeUndefined()
})
