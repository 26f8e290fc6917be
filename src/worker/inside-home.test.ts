import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { insideOwner } from '#lib/inside-owner.ts'
import { makeHome } from './inside-home.ts'

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-home-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const from = join(folder, 'login.json')
  writeFileSync(from, 'the login')
  return { folder, homes: join(folder, 'homes'), login: { from, to: '.agent/sub/login.json' } }
}

test('a home is a folder of those inside, with the logins that were asked for and no others', async () => {
  const { homes, login } = place()
  expect(await makeHome(homes, 's1', [login])).toBe('/home/agent/s1')
  const file = join(homes, 's1/.agent/sub/login.json')
  expect(readFileSync(file, 'utf8')).toBe('the login')
  const { uid, gid } = insideOwner()
  for (const path of [join(homes, 's1'), join(homes, 's1/.agent'), file])
    expect(statSync(path)).toMatchObject({ uid, gid })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(join(homes, 's1')).mode & 0o777).toBe(0o700)
  await makeHome(homes, 's2', [])
  expect(existsSync(join(homes, 's2/.agent'))).toBe(false)
})

test('a login that the agent has renewed stays, and one that is newer here replaces it', async () => {
  const { homes, login } = place()
  await makeHome(homes, 's1', [login])
  const file = join(homes, 's1/.agent/sub/login.json')
  writeFileSync(file, 'renewed inside')
  await makeHome(homes, 's1', [login])
  expect(readFileSync(file, 'utf8')).toBe('renewed inside')
  const later = new Date(Date.now() + 60_000)
  utimesSync(login.from, later, later)
  await makeHome(homes, 's1', [login])
  expect(readFileSync(file, 'utf8')).toBe('the login')
})

test.each(['s1', 's1/.agent', 's1/.agent/sub'])(
  '%s that was turned into a link is not followed',
  async (turned) => {
    const { folder, homes, login } = place()
    const outside = join(folder, 'outside')
    mkdirSync(outside)
    await makeHome(homes, 's1', [])
    mkdirSync(join(homes, 's1/.agent'))
    rmSync(join(homes, turned), { recursive: true, force: true })
    symlinkSync(outside, join(homes, turned))
    await expect(makeHome(homes, 's1', [login])).rejects.toMatchObject({ code: 'workspace_failed' })
    expect(existsSync(join(outside, 'login.json'))).toBe(false)
    expect(existsSync(join(outside, '.agent'))).toBe(false)
  },
)

test('a login that is a link inside is replaced, and what it points to is left alone', async () => {
  const { folder, homes, login } = place()
  const precious = join(folder, 'precious')
  writeFileSync(precious, 'precious')
  await makeHome(homes, 's1', [{ ...login, from: '/nowhere/at/all' }])
  symlinkSync(precious, join(homes, 's1/.agent/sub/login.json'))
  await makeHome(homes, 's1', [login])
  expect(readFileSync(precious, 'utf8')).toBe('precious')
  expect(readFileSync(join(homes, 's1/.agent/sub/login.json'), 'utf8')).toBe('the login')
})
