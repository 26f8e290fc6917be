import { spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Capability } from '#contract/capability.ts'
import type { DescribedProgram, FoundProgram, ScanProgress } from '#contract/discovery.ts'
import { readBoard } from '../support/board-reader.ts'
import { followLog } from '../support/follow-log.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

const entry = join(import.meta.dirname, '../../src/main/signalbox.ts')
let box: Signalbox
let folder: string
let bin: string

// A PATH of its own, of which everything is known.
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-path-')))
  bin = join(folder, 'bin')
  await mkdir(bin)
  await mkdir(join(folder, 'home'))
  for (const name of ['git', 'tar', 'sh']) await symlink(`/usr/bin/${name}`, join(bin, name))
  await program('greet', 'echo "hello $*"')
  await symlink(join(folder, 'nowhere'), join(bin, 'broken'))
  await writeFile(join(folder, 'home/.bash_history'), 'git status\ngit log\ngreet\n')
  box = await startSignalbox({ env: { PATH: bin, HOME: join(folder, 'home') } })
}, 60_000)
afterAll(async () => {
  await box.stop()
  await rm(folder, { recursive: true })
})

async function program(name: string, script: string): Promise<string> {
  const path = join(bin, name)
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

/** Scans, and waits until it is over. */
async function scanned(): Promise<ScanProgress> {
  const { status, body } = await box.call('POST', '/discovery/scan')
  expect(status).toBe(202)
  for (;;) {
    const { body: now } = await box.call('GET', '/discovery/scan')
    if (now.data.scanId !== body.data.scanId || now.data.status !== 'running') return now.data
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function listed(): Promise<FoundProgram[]> {
  return (await box.call('GET', '/discovery?pageSize=500')).body.data
}

async function found(name: string): Promise<FoundProgram> {
  const all = await listed()
  const one = all.find((each) => each.name === name)
  if (!one) throw new Error(`${name} was not found among ${all.map((each) => each.name).join(', ')}`)
  return one
}

async function confirmed(name: string): Promise<{ agentId: string; capabilities: Capability[] }> {
  const { id } = await found(name)
  const { status, body } = await box.call('POST', '/discovery/confirm', { ids: [id] })
  if (status !== 200) throw new Error(JSON.stringify(body))
  const [{ id: agentId }] = body.data
  const { body: capabilities } = await box.call('GET', `/agents/${agentId}/capabilities`)
  return { agentId, capabilities: capabilities.data }
}

/** Runs it, and answers with what it wrote and how it ended. */
async function run(capabilityId: string, args: object) {
  const { status, body } = await box.call('POST', '/executions', { capabilityId, args })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const log = followLog(box.url, box.token, body.data.id)
  return { ...(await log.done), text: log.text() }
}

const keyed = (capabilities: Capability[], key: string): Capability => {
  const one = capabilities.find((each) => each.key === key)
  if (!one) throw new Error(`there is no ${key} among ${capabilities.map((each) => each.key).join(', ')}`)
  return one
}

test('what is on PATH is found after a start, without anybody asking, and nothing of it is an agent', async () => {
  await expect
    .poll(async () => (await listed()).map(({ name }) => name).toSorted(), { timeout: 30_000 })
    .toEqual(['git', 'greet', 'sh', 'tar'])
  const { body } = await box.call('GET', '/agents')
  expect(body.data.filter(({ kind }: { kind: string }) => kind !== 'model')).toEqual([])
  expect(await found('git')).toMatchObject({ class: 'tool', uses: 2, package: 'git', packageSource: 'dpkg' })
  const scan = await scanned()
  expect(scan).toMatchObject({ status: 'done', found: 4, added: 0, gone: 0 })
  expect(scan.troubles).toEqual([{ path: join(bin, 'broken'), reason: expect.any(String) }])
  // Most used first.
  expect((await listed()).slice(0, 2).map(({ name }) => name)).toEqual(['git', 'greet'])
})

test('a tool that is used here is described by itself, and git and tar run from what is known of them', async () => {
  await scanned()
  const { id } = await found('git')
  const git: DescribedProgram = (await box.call('GET', `/discovery/${id}`)).body.data
  expect(git.subcommands).toEqual(expect.arrayContaining(['add', 'clone', 'commit', 'push', 'status']))
  expect(git.version).toMatch(/^\d+\.\d+/)
  const { capabilities } = await confirmed('git')
  const repository = join(box.work, 'a repository')
  const made = await run(keyed(capabilities, 'init').id, { directory: repository, 'initial-branch': 'trunk' })
  expect(made).toMatchObject({ status: 'succeeded', exitCode: 0 })
  expect(made.text).toContain('Initialized empty Git repository')
  expect(await readFile(join(repository, '.git/HEAD'), 'utf8')).toBe('ref: refs/heads/trunk\n')
  // What forces is another capability, and a dangerous one.
  const push = keyed(capabilities, 'push')
  expect([push.dangerLevel, Object.keys(push.argsSchema['properties'] as object)]).toEqual([
    1,
    expect.not.arrayContaining(['force']),
  ])
  expect(keyed(capabilities, 'push.force').dangerLevel).toBeGreaterThanOrEqual(2)

  const tar = await confirmed('tar')
  const archive = join(box.work, 'a.tar')
  await writeFile(join(box.work, '-one'), '1')
  const args = { archive, folder: box.work, files: ['-one'] }
  expect(await run(keyed(tar.capabilities, 'create').id, args)).toMatchObject({ status: 'succeeded' })
  const inside = await run(keyed(tar.capabilities, 'list').id, { archive })
  expect(inside).toMatchObject({ status: 'succeeded', text: '-one\n' })
}, 60_000)

test('a program that vanishes is told, its agent too, and neither an edit nor the agent is lost when it is back', async () => {
  await scanned()
  const { agentId } = await confirmed('greet')
  const { body: edited } = await box.call('PATCH', `/agents/${agentId}`, { name: 'Greeter', memoryMb: 512 })
  expect(edited.data.missingSince).toBeNull()
  const { body: capability } = await box.call('POST', `/agents/${agentId}/capabilities`, {
    key: 'hello',
    interactionMode: 'template',
    commandTokens: ['greet', '{{names...}}'],
    argsSchema: { type: 'object', properties: { names: { type: 'array', items: { type: 'string' } } } },
  })
  expect(await run(capability.data.id, { names: ['you there', '$(me)'] })).toMatchObject({
    status: 'succeeded',
    text: 'hello you there $(me)\n',
  })
  const board = await readBoard(box.url, box.token)
  const kept = join(folder, 'kept')
  await rename(join(bin, 'greet'), kept)
  expect(await scanned()).toMatchObject({ found: 3, gone: 1 })
  const told = await board.until(({ type }) => type === 'agent.missing')
  expect(told.payload).toMatchObject({ agentId, name: 'Greeter', missingSince: expect.any(String) })
  expect((await found('greet')).goneAt).not.toBeNull()
  expect(await run(capability.data.id, {})).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('does not exist'),
  })
  await rename(kept, join(bin, 'greet'))
  expect(await scanned()).toMatchObject({ found: 4, added: 0, gone: 0 })
  const { body: back } = await box.call('GET', `/agents/${agentId}`)
  expect(back.data).toMatchObject({ name: 'Greeter', memoryMb: 512, missingSince: null })
  expect(await found('greet')).toMatchObject({ state: 'confirmed', agentId, goneAt: null })
  await board.stop()
})

describe('signalbox scan', () => {
  async function scan(...args: string[]) {
    const child = spawn(process.execPath, [entry, 'scan', ...args], {
      env: { PATH: bin, HOME: box.home, SIGNALBOX_HOME: box.home, COLUMNS: '100' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
    return { code, stdout, stderr }
  }

  test('says how it goes beside what there is', async () => {
    const { code, stdout, stderr } = await scan()
    expect([code, stderr]).toEqual([0, expect.stringMatching(/4 programs, 0 of them new; 0 gone\.\n$/)])
    expect(stderr).toContain(`${join(bin, 'broken')}: `)
    expect(stdout.split('\n')[0]).toMatch(/^NAME +CLASS +STATE/)
    expect(stdout.split('\n')).toHaveLength(6)
  })

  test('for scripts', async () => {
    const { stdout } = await scan('--json')
    const told = JSON.parse(stdout)
    expect(told.scan).toMatchObject({ status: 'done', found: 4 })
    expect(told.programs).toHaveLength(4)
  })

  test('says what is wrong', async () => {
    const { code, stderr } = await scan('--machine', 'x')
    expect([code, stderr]).toEqual([1, 'The body does not fit: machineId: must be a UUID\n'])
  })
})

test('whoever may only look may only look', async () => {
  const { body } = await box.call('POST', '/users', { name: 'Ada', scopes: ['board'] })
  const as = { authorization: `Bearer ${body.data.token}` }
  const { id } = await found('sh')
  expect((await box.call('GET', '/discovery', undefined, as)).body.meta.total).toBe(4)
  for (const [path, wanted] of [
    ['/discovery/scan', {}],
    ['/discovery/confirm', { ids: [id] }],
    [`/discovery/${id}/describe`, {}],
  ] as const)
    expect((await box.call('POST', path, wanted, as)).status).toBe(403)
  expect(await found('sh')).toMatchObject({ state: 'found' })
})

test('bad input is refused, and changes nothing', async () => {
  const { id } = await found('sh')
  const git = await found('git')
  const before = await listed()
  const nobody = '019a0000-0000-7000-8000-000000000000'
  for (const [path, wanted, status] of [
    ['/discovery/confirm', { ids: [id, nobody] }, 404],
    ['/discovery/confirm', { ids: Array.from({ length: 501 }, () => id) }, 422],
    ['/discovery/confirm', { ids: [] }, 422],
    ['/discovery/confirm', { ids: id }, 422],
    ['/discovery/confirm', { ids: [git.id], hide: true }, 409],
    ['/discovery/scan', { machineId: nobody }, 404],
    ['/discovery/scan', { machine: nobody }, 422],
    [`/discovery/${nobody}/describe`, {}, 404],
    [`/discovery/${id}/describe`, { model: 'yes' }, 422],
    [`/discovery/${id}/describe`, { model: true }, 503],
  ] as const) {
    const answer = await box.call('POST', path, wanted)
    expect([path, answer.status]).toEqual([path, status])
    expect(answer.body.error.message).not.toBe('')
  }
  expect(await listed()).toEqual(before)
})
