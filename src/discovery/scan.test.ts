import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { someAtATime } from '#lib/some-at-a-time.ts'
import { makeMachine } from '../../test/support/discovery/made-machine.ts'
import type { MadeMachine } from '../../test/support/discovery/made-machine.ts'
import { scan } from './scan.ts'

const namesOf = (files: readonly { name: string }[]) => files.map(({ name }) => name).toSorted()
const reasonFor = (troubles: readonly { path: string; reason: string }[], path: string) =>
  troubles.find((trouble) => trouble.path === path)?.reason
const folder = (machine: MadeMachine, name: string) => join(machine.root, name)

test('the first of a name wins, unless it cannot be run', async () => {
  await using machine = await makeMachine()
  const first = await machine.putProgram('a/both')
  await machine.putProgram('b/both')
  await machine.put('a/later', 'not to be run')
  const later = await machine.putProgram('b/later')
  const { files, troubles } = await scan([folder(machine, 'a'), folder(machine, 'b')], {})
  expect(files.map(({ path }) => path).toSorted()).toEqual([first, later].toSorted())
  expect(troubles).toEqual([])
})

test('a folder that PATH names by two names is read once, and links are followed to the end', async () => {
  await using machine = await makeMachine()
  const real = await machine.putProgram('usr/bin/vim.basic')
  await machine.link('etc/alternatives/vi', real)
  await machine.link('usr/bin/vi', folder(machine, 'etc/alternatives/vi'))
  await machine.link('bin', 'usr/bin')
  const { files } = await scan(
    [folder(machine, 'bin'), folder(machine, 'usr/bin'), folder(machine, 'bin/')],
    {},
  )
  expect(files.map(({ path, realPath }) => [path, realPath]).toSorted()).toEqual([
    [folder(machine, 'bin/vi'), real],
    [folder(machine, 'bin/vim.basic'), real],
  ])
})

test('what is no file is no program', async () => {
  await using machine = await makeMachine()
  await mkdir(folder(machine, 'bin/folder'), { recursive: true })
  execFileSync('mkfifo', ['-m', '755', folder(machine, 'bin/pipe')])
  await machine.link('bin/to-pipe', folder(machine, 'bin/pipe'))
  await machine.link('bin/to-folder', folder(machine, 'bin/folder'))
  await machine.link('bin/to-device', '/dev/null')
  const server = createServer().listen(folder(machine, 'bin/socket'))
  await machine.putProgram('bin/program')
  const { files, troubles } = await scan([folder(machine, 'bin')], {})
  await new Promise((done) => server.close(done))
  expect(namesOf(files)).toEqual(['program'])
  expect(troubles).toEqual([])
})

test('links to nothing, to themselves and through files are told, each with its reason', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('bin/program')
  const broken = await machine.link('bin/broken', './nothing')
  const loop = await machine.link('bin/loop', 'loop')
  await machine.link('bin/ping', 'pong')
  const pong = await machine.link('bin/pong', 'ping')
  const through = await machine.link('bin/through', 'program/inside')
  const { files, troubles } = await scan([folder(machine, 'bin')], {})
  expect(namesOf(files)).toEqual(['program'])
  expect(reasonFor(troubles, broken)).toBe('is a link to a file that is not there')
  expect(reasonFor(troubles, loop)).toBe('is a link that leads back to itself')
  expect(reasonFor(troubles, pong)).toBe('is a link that leads back to itself')
  expect(reasonFor(troubles, through)).toBe('leads through something that is not a folder')
})

test('entries of PATH that are no folders are told, and hinder none', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('bin/program')
  const file = await machine.put('file', '')
  const pipe = folder(machine, 'pipe')
  execFileSync('mkfifo', [pipe])
  const missing = folder(machine, 'missing')
  const loop = await machine.link('loop', 'loop')
  const odd = folder(machine, 'a\nb')
  const { files, troubles } = await scan(
    ['', '.', 'relative/bin', file, pipe, missing, loop, odd, folder(machine, 'bin')],
    {},
  )
  expect(namesOf(files)).toEqual(['program'])
  expect(reasonFor(troubles, '(empty)')).toContain('empty entry')
  expect(reasonFor(troubles, '.')).toContain('relative')
  expect(reasonFor(troubles, 'relative/bin')).toContain('relative')
  expect(reasonFor(troubles, file)).toBe('is on PATH, but is not a folder')
  expect(reasonFor(troubles, pipe)).toBe('is on PATH, but is not a folder')
  expect(reasonFor(troubles, missing)).toBe('is on PATH, but is not there')
  expect(reasonFor(troubles, loop)).toBe('is a link that leads back to itself')
  expect(reasonFor(troubles, `${machine.root}/a\\nb`)).toContain('line break')
})

test('names with line breaks, or that are no text, are left out and told', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('bin/good-ü')
  await machine.putProgram('bin/two\nlines')
  await machine.putProgram('bin/turned\u202Eround')
  const bytes = Buffer.concat([Buffer.from(folder(machine, 'bin/bad-')), Buffer.from([0xff, 0xfe])])
  await writeFile(bytes, '#!/bin/sh\n')
  await chmod(bytes, 0o755)
  await symlink(bytes, folder(machine, 'bin/to-bad'))
  const { files, troubles } = await scan([folder(machine, 'bin')], {})
  expect(namesOf(files)).toEqual(['good-ü'])
  expect(reasonFor(troubles, `${machine.root}/bin/two\\nlines`)).toContain('line break')
  expect(reasonFor(troubles, `${machine.root}/bin/turned\\u202eround`)).toContain('unprintable')
  expect(reasonFor(troubles, folder(machine, 'bin/bad-\ufffd\ufffd'))).toContain('not UTF-8')
  expect(reasonFor(troubles, folder(machine, 'bin/to-bad'))).toContain('not UTF-8')
})

test('a folder that may not be read is told, and what only others may run is left out', async ({ skip }) => {
  if (!canNobodyRead()) skip('nobody else may read this code')
  await using machine = await makeMachine()
  await chmod(machine.root, 0o755)
  await machine.putProgram('bin/program')
  await chmod(await machine.putProgram('bin/of-others'), 0o710)
  await machine.putProgram('closed/program2')
  await machine.link('bin/into-closed', '../closed/program2')
  await chmod(folder(machine, 'closed'), 0o000)
  const { files, troubles } = asNobody([folder(machine, 'closed'), folder(machine, 'bin')])
  await chmod(folder(machine, 'closed'), 0o755)
  expect(namesOf(files)).toEqual(process.getuid?.() === 0 ? ['program'] : ['of-others', 'program'])
  expect(reasonFor(troubles, folder(machine, 'closed'))).toContain('may not be read')
  expect(reasonFor(troubles, folder(machine, 'bin/into-closed'))).toContain('may not look')
})

test('ten thousand files are nothing special, and ten thousand broken links drown no other trouble', async () => {
  await using machine = await makeMachine()
  const real = await machine.putProgram('real')
  await mkdir(folder(machine, 'many'))
  await mkdir(folder(machine, 'broken'))
  const numbers = Array.from({ length: 10_000 }, (_, number) => number)
  await someAtATime(numbers, 32, async (number) => {
    await symlink(real, folder(machine, `many/program-${number}`))
    await symlink('nothing', folder(machine, `broken/link-${number}`))
  })
  const last = await machine.link('last/link', 'nothing')
  const folders = ['many', 'broken', 'last'].map((name) => folder(machine, name))
  const { files, troubles } = await scan(folders, {})
  expect(files).toHaveLength(10_000)
  expect(troubles.length).toBeLessThan(200)
  expect(reasonFor(troubles, last)).toBe('is a link to a file that is not there')
  expect(reasonFor(troubles, folder(machine, 'broken'))).toBe('9900 more in here could not be looked at')
})

test('files that come and go meanwhile spoil nothing', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('bin/steady')
  await Promise.all(Array.from({ length: 200 }, (_, number) => machine.putProgram(`bin/fleeting-${number}`)))
  const stop = new AbortController()
  const stirring = stir(folder(machine, 'bin'), stop.signal)
  for (let round = 0; round < 20; round += 1) {
    const { files, troubles } = await scan([folder(machine, 'bin')], {})
    expect(namesOf(files)).toContain('steady')
    expect(troubles).toEqual([])
  }
  stop.abort()
  await stirring
})

test('it stops when it is told to', async () => {
  await using machine = await makeMachine()
  await machine.putProgram('bin/program')
  await expect(scan([folder(machine, 'bin')], { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
})

const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const script = join(import.meta.dirname, 'scan.ts')

function canNobodyRead(): boolean {
  const { status } = spawnSync('test', ['-r', script, '-a', '-x', process.execPath], nobody)
  return status === 0
}

/** To root nothing is closed, so somebody else looks. */
function asNobody(folders: readonly string[]): Awaited<ReturnType<typeof scan>> {
  const code = `import { scan } from ${JSON.stringify(script)}
    process.stdout.write(JSON.stringify(await scan(${JSON.stringify(folders)}, {})))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], nobody).toString())
}

async function stir(bin: string, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number = (number + 1) % 200) {
    const path = join(bin, `fleeting-${number}`)
    await rename(path, `${path}-moved`).catch(() => undefined)
    await rename(`${path}-moved`, path).catch(() => undefined)
    if (number % 3 === 0) await rm(path, { force: true })
  }
}
