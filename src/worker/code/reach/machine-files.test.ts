import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { grantsWith } from './fixtures/grants.ts'
import { openMachineFiles } from './machine-files.ts'

let [folder, data, outside, home] = ['', '', '', '']
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reach-')))
  ;[data, outside, home] = ['data', 'outside', 'data/home'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const one of [data, outside, home]) mkdirSync(one)
  writeFileSync(join(data, 'a.json'), '{"é":1}')
  writeFileSync(join(outside, 'secret'), 'secret')
  writeFileSync(join(home, 'key'), 'secret')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
})

const never = new AbortController().signal

function open(more: Partial<CodeGrants['files']> = {}, allowedPaths = [data]) {
  const config = { home, capabilities: { filesystem: { allowedPaths } } } as never
  const paths = [{ path: data, isReadOnly: false }]
  const files = openMachineFiles(grantsWith({ files: { paths, ...more } }).files, () => config)
  const call = (name: string, ...given: unknown[]) => files.call(name, given, { call: 1, signal: never })
  const failure = (name: string, ...given: unknown[]) =>
    call(name, ...given).then(
      () => 'nothing failed',
      (error: unknown) => error,
    )
  return { call, failure }
}
const readOnly = (path: string) => [{ path, isReadOnly: true }]
const violation = expect.objectContaining({ type: 'security', code: 'CAPABILITY_VIOLATION' })
const failed = (reason: string) =>
  expect.objectContaining({
    type: 'runtime',
    code: 'RUNTIME_ERROR',
    details: expect.objectContaining({ reason }),
  })

test('files are read, written and listed', async () => {
  const { call } = open()
  expect(await call('read', join(data, 'a.json'))).toBe('{"é":1}')
  expect(await call('read', `${data}//./x/../a.json`)).toBe('{"é":1}')
  expect(await call('write', join(data, 'new.txt'), 'text')).toBeNull()
  chmodSync(join(data, 'new.txt'), 0o600)
  await call('write', join(data, 'new.txt'), 'other')
  expect(readFileSync(join(data, 'new.txt'), 'utf8')).toBe('other')
  expect(statSync(join(data, 'new.txt')).mode & 0o777).toBe(0o600)
  symlinkSync('/nowhere', join(data, 'link'))
  expect(await call('list', data)).toEqual([
    { name: 'a.json', type: 'file' },
    { name: 'home', type: 'folder' },
    { name: 'link', type: 'link' },
    { name: 'new.txt', type: 'file' },
  ])
})

describe('refused is', () => {
  test('what is not below a path that was granted, in any spelling', async () => {
    const { failure } = open()
    const paths = [outside, `${data}/../outside/secret`, `${data}2/x`, '/', 'a.json', '../x']
    for (const path of paths) expect(await failure('read', path)).toEqual(violation)
    expect(await failure('list', folder)).toEqual(violation)
    expect(await open({ paths: [] }).failure('read', join(data, 'a.json'))).toEqual(violation)
    for (const path of [3, '', `${data}/a.json\0`])
      expect(await failure('read', path)).toEqual(failed('bad_request'))
    expect(await failure('read', `${data}/a.json/`)).toEqual(failed('not_a_file'))
    expect(await failure('remove', data)).toEqual(failed('bad_request'))
  })

  test('writing, where only reading was granted', async () => {
    const { failure } = open({ paths: readOnly(data) })
    expect(await failure('write', join(data, 'a.json'), 'x')).toMatchObject({
      code: 'CAPABILITY_VIOLATION',
      message: expect.stringContaining('may only be read'),
      details: { capability: `fs:${join(data, 'a.json')}:rw` },
    })
    expect(readFileSync(join(data, 'a.json'), 'utf8')).toBe('{"é":1}')
    const both = open({ paths: [...readOnly(data), { path: join(data, 'out'), isReadOnly: false }] })
    mkdirSync(join(data, 'out'))
    expect(await both.failure('write', join(data, 'x'), 'x')).toEqual(violation)
    expect(await both.call('write', join(data, 'out/x'), 'x')).toBeNull()
  })

  test('what the configuration does not allow any more', async () => {
    expect(await open({}, []).failure('read', join(data, 'a.json'))).toEqual(violation)
    expect(await open({}, [outside]).failure('read', join(data, 'a.json'))).toEqual(violation)
  })

  test('a link that leads out, as the file, on the way to it, or as what was granted', async () => {
    symlinkSync(join(outside, 'secret'), join(data, 'file'))
    symlinkSync(outside, join(data, 'way'))
    symlinkSync(join(data, 'a.json'), join(data, 'inside'))
    const { failure, call } = open()
    expect(await failure('read', join(data, 'file'))).toEqual(violation)
    expect(await failure('read', join(data, 'way/secret'))).toEqual(violation)
    expect(await failure('list', join(data, 'way'))).toEqual(violation)
    expect(await failure('write', join(data, 'way/new'), 'x')).toEqual(violation)
    const granted = open({ paths: [{ path: join(data, 'way'), isReadOnly: false }] })
    expect(await granted.failure('read', join(data, 'way/secret'))).toEqual(violation)
    expect(readdirSync(outside)).toEqual(['secret'])
    expect(await call('read', join(data, 'inside'))).toBe('{"é":1}')
  })

  test('nothing else than the link itself, when a link is written over', async () => {
    symlinkSync(join(outside, 'secret'), join(data, 'file'))
    await open().call('write', join(data, 'file'), 'mine')
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
    expect(lstatSync(join(data, 'file')).isFile()).toBe(true)
  })

  test('what Signalbox keeps for itself, and what the system tells of processes', async () => {
    expect(await open().failure('read', join(home, 'key'))).toEqual(violation)
    expect(await open().failure('write', join(home, 'key'), 'x')).toEqual(violation)
    const all = open({ paths: readOnly('/') }, ['/'])
    for (const path of ['/proc/self/environ', '/proc/1/cmdline', '/dev/zero', '/sys/kernel/mm'])
      expect(await all.failure('read', path)).toEqual(violation)
    expect(await all.failure('list', '/proc/self/fd')).toEqual(violation)
  })

  test('what is too large, or ends otherwise than it may', async () => {
    const small = open({ maxBytes: 8 })
    expect(await small.call('read', join(data, 'a.json'))).toBe('{"é":1}')
    expect(await open({ maxBytes: 7 }).failure('read', join(data, 'a.json'))).toEqual(
      failed('file_too_large'),
    )
    expect(await small.failure('write', join(data, 'x'), 'é'.repeat(5))).toEqual(failed('file_too_large'))
    const json = open({ extensions: ['.json'] })
    expect(await json.call('read', join(data, 'a.json'))).toBe('{"é":1}')
    expect(await json.failure('read', join(data, 'a.json.txt'))).toEqual(violation)
    expect(await json.failure('write', join(data, 'x.sh'), '')).toEqual(violation)
    expect(await json.call('write', join(data, 'X.JSON'), '')).toBeNull()
  })

  test('what is no file, or no text, or not there', async () => {
    execFileSync('mkfifo', [join(data, 'pipe')])
    writeFileSync(join(data, 'binary'), Buffer.from([0xff, 0xfe]))
    const { failure } = open()
    expect(await failure('read', join(data, 'pipe'))).toEqual(failed('not_a_file'))
    expect(await failure('read', data)).toEqual(failed('not_a_file'))
    expect(await failure('write', home.replace('/home', '/.'), 'x')).toEqual(failed('not_a_file'))
    expect(await failure('read', join(data, 'binary'))).toEqual(failed('not_text'))
    expect(await failure('read', join(data, 'nothing'))).toEqual(failed('path_not_found'))
    expect(await failure('write', join(data, 'no/folder'), 'x')).toEqual(failed('path_not_found'))
    expect(await failure('list', join(data, 'a.json'))).toEqual(failed('not_a_folder'))
    expect(await failure('write', join(data, 'x'), { a: 1 })).toEqual(failed('bad_request'))
    expect(readdirSync(data).toSorted()).toEqual(['a.json', 'binary', 'home', 'pipe'])
  })
})

test('what is swapped for a link in the middle is not followed', async () => {
  mkdirSync(join(data, 'way'))
  writeFileSync(join(data, 'way/secret'), 'public')
  symlinkSync(outside, join(data, 'evil'))
  const { call } = open()
  let isOver = false
  const swapping = (async () => {
    while (!isOver) {
      renameSync(join(data, 'way'), join(data, 'good'))
      renameSync(join(data, 'evil'), join(data, 'way'))
      await new Promise(setImmediate)
      renameSync(join(data, 'way'), join(data, 'evil'))
      renameSync(join(data, 'good'), join(data, 'way'))
      await new Promise(setImmediate)
    }
  })()
  const said = new Set<unknown>()
  for (let tries = 0; tries < 120; tries += 1) {
    said.add(await call('read', join(data, 'way/secret')).catch((error: Error) => error.constructor.name))
    await call('write', join(data, 'way/new'), 'x').catch(() => {})
  }
  isOver = true
  await swapping
  expect([...said].filter((one) => one !== 'public' && one !== 'CodeFailed')).toEqual([])
  expect(readdirSync(outside)).toEqual(['secret'])
})
