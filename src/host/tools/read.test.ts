import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, statSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestWorkspace } from '../../../test/support/workspace-tools.ts'
import type { TestWorkspace } from '../../../test/support/workspace-tools.ts'

let workspace: TestWorkspace
beforeEach(() => {
  workspace = openTestWorkspace()
})
afterEach(() => workspace.close())

const put = (name: string, content: string | Buffer) => writeFileSync(join(workspace.root, name), content)
const read = (path: string, range?: { start: number; end: number }) =>
  workspace.call('read', { path, ...(range && { range }) })
const sha = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')
const longAgo = (name: string) => utimesSync(join(workspace.root, name), 1e9, 1e9)

describe('a file', () => {
  it('is told with its size, lines, time and hash', async () => {
    put('a.txt', 'één\ntwo\n')
    expect(await read('a.txt')).toEqual({
      path: 'a.txt',
      content: 'één\ntwo\n',
      size: 10,
      lines: 2,
      mtime: new Date(Math.floor(statSync(join(workspace.root, 'a.txt')).mtimeMs)).toISOString(),
      hash: sha('één\ntwo\n'),
      executionTime: expect.any(Number),
    })
  })

  it.each([
    ['', 0],
    ['a', 1],
    ['\n', 1],
    ['a\n\nb', 3],
  ])('%j has %i lines', async (content, lines) => {
    put('a.txt', content)
    expect(await read('a.txt')).toMatchObject({ content, lines })
  })

  it('keeps its byte order mark and its CRLF', async () => {
    put('a.txt', '\ufeffa\r\nb')
    expect((await read('a.txt')).content).toBe('\ufeffa\r\nb')
  })

  it('that is no text is refused', async () => {
    put('nul', Buffer.from('a\0b'))
    put('latin1', Buffer.from('caf\xe9', 'latin1'))
    put('utf16', Buffer.from('\ufeffhello', 'utf16le'))
    put('cut', Buffer.from('é').subarray(0, 1))
    for (const path of ['nul', 'latin1', 'utf16', 'cut'])
      expect(await workspace.code('read', { path })).toBe('not_text')
  })

  it('from a year that no date has is read all the same', async () => {
    put('a.txt', 'x')
    utimesSync(join(workspace.root, 'a.txt'), -1e9, -1e11)
    expect((await read('a.txt')).content).toBe('x')
  })
})

describe('a range', () => {
  it('is lines, with their ends', async () => {
    put('a.txt', '1\n2\r\n3\n4')
    expect(await read('a.txt', { start: 2, end: 3 })).toMatchObject({
      content: '2\r\n3\n',
      lines: 4,
      range: { start: 2, end: 3 },
      hash: sha('1\n2\r\n3\n4'),
    })
    expect(await read('a.txt', { start: 4, end: 99 })).toMatchObject({
      content: '4',
      range: { start: 4, end: 4 },
    })
  })

  it('that is none is refused', async () => {
    put('a.txt', '1\n2\n')
    expect(await workspace.code('read', { path: 'a.txt', range: { start: 2, end: 1 } })).toBe('tool_input')
    expect(await workspace.refused('read', { path: 'a.txt', range: { start: 3, end: 9 } })).toMatchObject({
      code: 'tool_input',
      message: expect.stringContaining('2 lines'),
    })
  })
})

describe('a huge file', () => {
  const line = `${'é'.repeat(60)}\n`
  const content = line.repeat(100_000)

  it('is read by ranges only', async () => {
    put('huge.txt', content)
    const refused = await workspace.refused('read', { path: 'huge.txt' })
    expect(refused).toMatchObject({ code: 'file_too_large', message: expect.stringContaining('range') })
    expect(await read('huge.txt', { start: 99_999, end: 100_000 })).toMatchObject({
      content: line + line,
      lines: 100_000,
      hash: sha(content),
      size: Buffer.byteLength(content),
    })
    expect(await workspace.code('read', { path: 'huge.txt', range: { start: 1, end: 100_000 } })).toBe(
      'file_too_large',
    )
    expect(await workspace.code('read', { path: 'huge.txt', range: { start: 100_001, end: 100_002 } })).toBe(
      'tool_input',
    )
  })

  it('is known by its hash when it has not changed', async () => {
    put('huge.txt', content)
    longAgo('huge.txt')
    await read('huge.txt', { start: 1, end: 1 })
    expect(await read('huge.txt', { start: 2, end: 2 })).toMatchObject({
      content: line,
      lines: 100_000,
      hash: sha(content),
    })
  })

  it('that is no text somewhere is refused', async () => {
    put('huge.txt', Buffer.concat([Buffer.from(content), Buffer.from([0xff])]))
    expect(await workspace.code('read', { path: 'huge.txt', range: { start: 1, end: 1 } })).toBe('not_text')
    put('cut.txt', Buffer.concat([Buffer.from(content), Buffer.from([0xc3])]))
    expect(await workspace.code('read', { path: 'cut.txt', range: { start: 1, end: 1 } })).toBe('not_text')
  })
})

describe('a file that changes', () => {
  it('in the same moment and length is read anew', async () => {
    for (let round = 0; round < 50; round += 1) {
      put('a.txt', `round ${round % 10}`)
      expect((await read('a.txt')).content).toBe(`round ${round % 10}`)
    }
  })

  it('long after it was read is read anew', async () => {
    put('a.txt', 'old')
    longAgo('a.txt')
    await expect.poll(async () => (await read('a.txt')).content).toBe('old')
    put('a.txt', 'new')
    longAgo('a.txt') // its time of change cannot be set back
    expect((await read('a.txt')).content).toBe('new')
  })

  it('while it is read is told as it was at one moment, or not at all', async () => {
    put('a.txt', '1'.repeat(3 << 20))
    const writer = spawn(
      process.execPath,
      [
        '-e',
        `const fs = require('node:fs'); const file = fs.openSync(process.argv[1], 'r+')
         const all = ['1', '2'].map((one) => Buffer.alloc(3 << 20, one))
         const until = Date.now() + 60_000
         for (let round = 0; Date.now() < until; round += 1)
           for (let at = 0; at < 3 << 20; at += 65_536) fs.writeSync(file, all[round % 2], at, 65_536, at)`,
        join(workspace.root, 'a.txt'),
      ],
      { stdio: 'ignore' },
    )
    const outcomes = new Set<string>()
    for (let round = 0; round < 40; round += 1) {
      const content = await read('a.txt').then(
        (answer) => answer.content,
        (error: { code: string }) => error.code,
      )
      // At any moment it is overwritten up to some place, and no further.
      outcomes.add(/^(?:1*2*|2*1*)$/.test(content) ? 'whole' : content.slice(0, 20))
    }
    writer.kill('SIGKILL')
    await once(writer, 'close')
    outcomes.delete('whole')
    outcomes.delete('workspace_busy')
    expect([...outcomes]).toEqual([])
    expect((await read('a.txt')).size).toBe(3 << 20)
  })

  it('and grows between two looks is read to its end', async () => {
    put('a.txt', 'one\n')
    await read('a.txt')
    const file = openSync(join(workspace.root, 'a.txt'), 'a')
    writeSync(file, 'two\n')
    closeSync(file)
    expect(await read('a.txt')).toMatchObject({ content: 'one\ntwo\n', lines: 2 })
  })
})
