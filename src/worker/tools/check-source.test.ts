import { mkdtempSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { SourceConfig } from '#contract/source.ts'
import { checkPlaces } from './check-source.ts'

const root = realpathSync(mkdtempSync(join(tmpdir(), 'check-source-')))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const [bin, work, home, other] = ['bin', 'work', 'home', 'other'].map((name) => join(root, name)) as [
  string,
  string,
  string,
  string,
]
for (const folder of [bin, work, home, other]) mkdirSync(folder)
for (const file of [join(bin, 'server'), join(other, 'server')])
  writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 })
writeFileSync(join(bin, 'plain'), 'no program', { mode: 0o644 })
writeFileSync(join(work, 'tools.mjs'), '')
writeFileSync(join(home, 'tools.mjs'), '')
symlinkSync(join(other), join(work, 'out'))

const config = loadConfig({
  env: {
    HOME: root,
    SIGNALBOX_HOME: home,
    PATH: bin,
    ALLOWED_BINARY_DIRS: bin,
    ALLOWED_WORKING_DIRS: work,
  },
  cwd: work,
})
const check = (given: object) =>
  checkPlaces(SourceConfig.parse(given), {
    config,
    env: { PATH: `${bin}:${other}` },
    ourAddresses: () => Promise.resolve(['http://127.0.0.1:4100', 'https://box.example.com']),
  })

describe('a program', () => {
  it('is found on PATH, and its folder by its real path', async () => {
    expect(await check({ transport: 'stdio', command: 'server', cwd: work })).toMatchObject({
      command: join(bin, 'server'),
      cwd: work,
    })
    expect(await check({ transport: 'stdio', command: process.execPath })).toMatchObject({
      command: process.execPath,
    })
  })

  it.each([
    ['nowhere', /config\.command: there is no program nowhere/],
    ['./server', /absolute path/],
    [join(other, 'server'), /config\.command: .*not in a folder that this machine allows/],
    [join(bin, 'plain'), /config\.command: .*not executable/],
    [join(bin, 'gone'), /config\.command: .*does not exist/],
  ])('is refused: %s', async (command, message) => {
    await expect(check({ transport: 'stdio', command })).rejects.toMatchObject({
      code: 'bad_source',
      message: expect.stringMatching(message),
      context: { fields: [expect.objectContaining({ field: 'config.command' })] },
    })
  })

  it.each(['/', '/nowhere', join(root, 'other'), join(root, 'work/out')])(
    'does not begin in %s',
    async (cwd) => {
      await expect(check({ transport: 'stdio', command: 'server', cwd })).rejects.toMatchObject({
        code: 'bad_source',
        message: expect.stringContaining('config.cwd'),
      })
    },
  )
})

describe('a module', () => {
  it('lies where people work, never in our home', async () => {
    expect(await check({ transport: 'langchain', module: join(work, 'tools.mjs') })).toMatchObject({
      module: join(work, 'tools.mjs'),
    })
    await expect(check({ transport: 'langchain', module: join(bin, 'server') })).rejects.toThrow(
      /is not in a folder that this machine allows \(ALLOWED_WORKING_DIRS/,
    )
    for (const module of [join(home, 'tools.mjs'), join(work, 'gone.mjs'), work])
      await expect(check({ transport: 'langchain', module })).rejects.toMatchObject({ code: 'bad_source' })
  })
})

describe('an address', () => {
  it.each([
    ['http', 'ftp://host/mcp'],
    ['http', 'nonsense'],
    ['websocket', 'https://host/mcp'],
    ['sse', 'ws://host/mcp'],
  ])('is of its transport: %s %s', async (transport, url) => {
    await expect(check({ transport, url })).rejects.toMatchObject({ code: 'bad_source' })
  })

  it.each([
    'http://127.0.0.1:4100/mcp',
    'http://localhost:4100/mcp/raw/x',
    'http://[::1]:4100/mcp',
    'https://box.example.com/mcp',
  ])('is never our own: %s', async (url) => {
    await expect(check({ transport: 'http', url })).rejects.toThrow(/Signalbox itself/)
  })

  it.each(['http://127.0.0.1:4200/mcp', 'https://api.example.com/mcp', 'http://127.0.0.1:4100/other'])(
    'may be another: %s',
    async (url) => {
      expect(await check({ transport: 'http', url })).toMatchObject({ url })
    },
  )
})

describe('a password in an address', () => {
  it('becomes the header that it stands for', async () => {
    const url = 'https://me%40here:p%3Aw%25@host.example/mcp?page=2'
    expect(await check({ transport: 'http', url, headers: { 'X-Other': 'o' } })).toMatchObject({
      url: 'https://host.example/mcp?page=2',
      headers: { 'X-Other': 'o', Authorization: `Basic ${btoa('me@here:p:w%')}` },
    })
  })

  it.each([{ auth: { token: 't' } }, { headers: { AUTHORIZATION: 'Bearer t' } }])(
    'is refused beside %o',
    async (more) => {
      await expect(
        check({ transport: 'http', url: 'https://me:pw@host.example/mcp', ...more }),
      ).rejects.toThrow(/config\.url: has a user or password, and auth or headers/)
    },
  )
})

describe('what stands in headers and variables', () => {
  const http = { transport: 'http', url: 'https://host.example/mcp' }
  const stdio = { transport: 'stdio', command: 'server' }
  it.each([
    [{ ...http, headers: { 'X-Key': 'hush-hush\nX: y' } }, 'headers.X-Key'],
    [{ ...http, headers: { 'X-Key': 'hush-hush\u0007' } }, 'headers.X-Key'],
    [{ ...http, headers: { 'X-Key': 'hush-hush…' } }, 'headers.X-Key'],
    [{ ...http, headers: { 'X Key\n': 'hush-hush' } }, 'headers.X Key '],
    [{ ...http, auth: { token: 'hush-hush\r' } }, 'auth.token'],
    [{ ...stdio, env: { 'A=B': 'hush-hush' } }, 'env.A=B'],
    [{ ...stdio, env: { KEY: 'hush-hush\u001b' } }, 'env.KEY'],
  ])('is refused when it cannot be said, and not repeated', async (given, field) => {
    const refusal = await check(given).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'bad_source', context: { fields: [{ field: `config.${field}` }] } })
    expect(JSON.stringify(refusal) + String(refusal)).not.toContain('hush-hush')
  })

  it('may be a key of several lines in a variable', async () => {
    const env = { KEY: '-----BEGIN KEY-----\r\nabc\n\t-----END KEY-----\n' }
    expect(await check({ ...stdio, env })).toMatchObject({ env })
  })
})
