import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HomeRefused, homeOf, prepareHome, readMachineId, readOrCreateToken } from './home.ts'

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('the home', () => {
  it.each([
    [{ SIGNALBOX_HOME: '/srv/box', HOME: '/home/ada' }, '/srv/box'],
    [{ SIGNALBOX_HOME: 'box', HOME: '/home/ada' }, '/start/box'],
    [{ SIGNALBOX_HOME: '', HOME: '/home/ada' }, '/home/ada/.signalbox'],
    [{}, join(homedir(), '.signalbox')],
  ])('with %j is %s', (env, home) => {
    expect(homeOf(env, '/start')).toBe(home)
  })

  it('is made for its owner alone', () => {
    const home = join(newFolder(), 'a/b')
    prepareHome(home)
    expect(statSync(home).mode & 0o777).toBe(0o700)
    prepareHome(home)
  })

  it.each([0o720, 0o702, 0o777])('is refused when others can write in it (%o)', (mode) => {
    const home = newFolder()
    chmodSync(home, mode)
    expect(() => prepareHome(home)).toThrow(HomeRefused)
    expect(() => prepareHome(home)).toThrow(`chmod 700 ${home}`)
  })

  it('is refused when it belongs to somebody else', () => {
    const isRoot = process.getuid?.() === 0
    const home = isRoot ? newFolder() : '/'
    if (isRoot) chownSync(home, 54_321, 54_321)
    expect(() => prepareHome(home)).toThrow(`belongs to user ${isRoot ? 54_321 : 0},`)
  })

  it('is refused when it is a file', () => {
    const home = join(newFolder(), 'file')
    writeFileSync(home, '')
    expect(() => prepareHome(home)).toThrow(HomeRefused)
  })
})

describe("the owner's token", () => {
  it('is made once, for its owner alone', () => {
    const home = newFolder()
    const token = readOrCreateToken(home)
    expect(Buffer.from(token, 'base64url')).toHaveLength(32)
    expect(readOrCreateToken(home)).toBe(token)
    expect(readFileSync(join(home, 'token'), 'utf8').trim()).toBe(token)
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600)
    expect(readdirSync(home)).toEqual(['token'])
  })

  it('is the same for all, also when many processes want the first one', async () => {
    const home = newFolder()
    const code = `import { readOrCreateToken } from '${join(import.meta.dirname, 'home.ts')}'
      process.stdin.once('end', () => process.stdout.write(readOrCreateToken('${home}'))).resume()
      process.stdout.write('ready')`
    const children = [1, 2, 3, 4].map(() => spawn(process.execPath, ['--input-type=module', '-e', code]))
    onTestFinished(() => void children.map((child) => child.kill('SIGKILL')))
    await Promise.all(children.map(({ stdout }) => once(stdout.setEncoding('utf8'), 'data')))
    for (const { stdin } of children) stdin.end()
    const tokens = await Promise.all(children.map(async ({ stdout }) => (await once(stdout, 'data'))[0]))
    expect(tokens).toEqual(Array(4).fill(readOrCreateToken(home)))
  })

  it('is taken back from others who could read it', () => {
    const home = newFolder()
    writeFileSync(join(home, 'token'), 'my own token\n', { mode: 0o644 })
    expect(readOrCreateToken(home)).toBe('my own token')
    expect(statSync(join(home, 'token')).mode & 0o777).toBe(0o600)
  })

  it('is never the empty one', () => {
    const home = newFolder()
    writeFileSync(join(home, 'token'), '\n')
    expect(() => readOrCreateToken(home)).toThrow('is empty')
  })
})

it("the machine's id is a UUID, made once", () => {
  const home = newFolder()
  const id = readMachineId(home)
  expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  expect(readMachineId(home)).toBe(id)
})
