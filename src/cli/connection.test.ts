import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { identify } from '#lib/process-identity.ts'
import { findConnection } from './connection.ts'

let home = ''
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'signalbox-cli-'))))
afterEach(() => rmSync(home, { recursive: true, force: true }))

const find = (env: NodeJS.ProcessEnv = {}) => findConnection({ SIGNALBOX_HOME: home, ...env })
const runs = (changes: object = {}) =>
  writeFileSync(
    join(home, 'up.json'),
    JSON.stringify({
      ...identify(process.pid),
      url: 'http://127.0.0.1:4123',
      startedAt: new Date().toISOString(),
      children: [],
      ...changes,
    }),
  )
const hasToken = () => writeFileSync(join(home, 'token'), 'owner-token\n')

it('finds what runs in this home', () => {
  runs()
  hasToken()
  expect(find()).toEqual({
    url: 'http://127.0.0.1:4123',
    token: 'owner-token',
    tokenSource: join(home, 'token'),
  })
})

it('follows SIGNALBOX_URL and SIGNALBOX_TOKEN', () => {
  const env = { SIGNALBOX_URL: 'https://box.example.com', SIGNALBOX_TOKEN: 't' }
  expect(find(env)).toEqual({ url: 'https://box.example.com', token: 't', tokenSource: 'SIGNALBOX_TOKEN' })
})

it('does not take a dead one, or another program with its pid, for one that runs', () => {
  hasToken()
  expect(() => find()).toThrow('Signalbox does not run here. Start it with npm start')
  runs({ pid: 2 ** 30 })
  expect(() => find()).toThrow('does not run here')
  runs({ startTime: '1' })
  expect(() => find()).toThrow('does not run here')
  writeFileSync(join(home, 'up.json'), '{"half":')
  expect(() => find()).toThrow('does not run here')
})

it('shows the token of this home to nobody else', () => {
  runs()
  hasToken()
  expect(() => find({ SIGNALBOX_URL: 'https://evil.example.com' })).toThrow('Set SIGNALBOX_TOKEN')
  expect(() => find({ SIGNALBOX_URL: 'http://127.0.0.1.evil.example.com' })).toThrow('Set SIGNALBOX_TOKEN')
  expect(find({ SIGNALBOX_URL: 'http://localhost:4123' }).token).toBe('owner-token')
})

it('says what is missing', () => {
  runs()
  expect(() => find()).toThrow(`There is no token at ${join(home, 'token')}`)
  expect(() => find({ SIGNALBOX_URL: 'ftp://x' })).toThrow('must be an http or https address')
})
