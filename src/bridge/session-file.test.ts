import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { identify } from '#lib/process-identity.ts'
import { openSessionFile } from './session-file.ts'

let folder = ''
let warnings: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'session-file-'))
  warnings = []
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (file = join(folder, 'session.json')) =>
  openSessionFile(file, 'a-mark', (line) => warnings.push(line))
const remembered = {
  agent: { adapter: 'acp', command: 'agent', cwd: '/' },
  sessionRef: 'one',
  messages: [{ id: 'u', role: 'user' as const, parts: [{ type: 'text', text: 'Hello' }] }],
}

/** As a bridge left it that is gone. */
async function leave(file: string): Promise<void> {
  open(file).write(remembered)
  const gone = spawn('/bin/true')
  const bridge = { ...identify(process.pid), pid: gone.pid }
  await once(gone, 'exit')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), bridge }), { mode: 0o600 })
}

test('what was written is there for the next bridge, for its owner alone, with what may be left of the agent', async () => {
  const file = join(folder, 'session.json')
  await leave(file)
  const next = open(file)
  expect(next.read()).toMatchObject(remembered)
  expect([next.trouble, next.leftBehind]).toEqual([undefined, 'a-mark'])
  next.write(remembered)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['session.json'])
  next.remove()
  expect([open(file).read(), warnings]).toEqual([undefined, []])
})

test('a file that a living bridge has is left alone', () => {
  const file = join(folder, 'session.json')
  open(file).write(remembered)
  const second = open(file)
  expect(second.read()).toBeUndefined()
  expect([second.trouble, second.leftBehind]).toEqual([expect.stringContaining('in use by'), undefined])
  second.write({ ...remembered, sessionRef: 'two' })
  expect(readFileSync(file, 'utf8')).toContain('"one"')
})

test('a link is not followed', async () => {
  const elsewhere = join(folder, 'elsewhere')
  await leave(elsewhere)
  symlinkSync(elsewhere, join(folder, 'session.json'))
  const file = open()
  expect(file.read()).toBeUndefined()
  expect(file.trouble).toMatch(/ELOOP|symbolic/)
})

test.skipIf(process.getuid?.() !== 0)('a file of somebody else is not believed', async () => {
  const file = join(folder, 'session.json')
  await leave(file)
  const { chownSync } = await import('node:fs')
  chownSync(file, 12_345, 12_345)
  const opened = open(file)
  expect(opened.read()).toBeUndefined()
  expect(opened.trouble).toMatch(/not a file of this user/)
})

test('a full disk, or a folder that is not there, is said once, and nothing more is tried', () => {
  const file = open(join(folder, 'no', 'such', 'folder'))
  file.write(remembered)
  file.write(remembered)
  file.remove()
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(/only in memory/)
})

test('what nobody understands is written anew', () => {
  const file = join(folder, 'session.json')
  writeFileSync(file, '{"half":')
  const opened = open(file)
  expect([opened.read(), opened.trouble]).toEqual([undefined, undefined])
  opened.write(remembered)
  expect(readFileSync(file, 'utf8')).toContain('Hello')
})

test('no secrets get into it', () => {
  const file = join(folder, 'session.json')
  const text = 'Authorization: Bearer abcdefghijklmnop'
  open(file).write({ ...remembered, messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text }] }] })
  expect(readFileSync(file, 'utf8')).not.toContain('abcdefghijklmnop')
})
