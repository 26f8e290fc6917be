import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import type { DriverOnMachine, Workspace } from '#contract/workspace.ts'
import { killChild } from '../support/kill-child.ts'
import { git, makeRepository } from '../support/repository.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import type { ScriptedAgent } from '../support/scripted-agent.ts'
import { registerShell } from '../support/shell-agent.ts'
import type { ShellAgent } from '../support/shell-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// How workspaces come and go while everything else does: killed workers, walls that nobody uses, leftovers.

let box: Signalbox
let scripted: ScriptedAgent
let shell: ShellAgent
let sandbox: DriverOnMachine | undefined
const store = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
const folders = mkdtempSync(join(tmpdir(), 'signalbox-folders-'))
const patience = { timeout: 30_000, interval: 50 }

beforeAll(async () => {
  const configured = makeRepository(join(folders, 'configured'), { 'a.txt': 'a\n' })
  const file = join(folders, 'signalbox.config.yaml')
  writeFileSync(
    file,
    `workspaces:\n  mine:\n    root: ${configured}\n    ports: [8000]\n  broken:\n    root: /nowhere\n`,
  )
  box = await startSignalbox({
    env: {
      ...scriptedEnv(store),
      SIGNALBOX_CONFIG: file,
      ALLOWED_WORKING_DIRS: folders,
      ALLOWED_BINARY_DIRS: `${dirname(process.execPath)}:/usr/bin:/bin`,
      SESSION_TTL: '4s',
      MIN_FREE_DISK: '1MB',
    },
  })
  scripted = await registerScripted(box, { workingDir: folders })
  shell = await registerShell(box)
  const machines = (await box.call('GET', '/workspaces/drivers')).body.data
  sandbox = machines[0].drivers.find(({ driver }: DriverOnMachine) => driver === 'sandbox')
}, 60_000)
afterAll(async () => {
  await box?.stop()
  for (const folder of [store, folders]) rmSync(folder, { recursive: true, force: true })
}, 60_000)

async function done(method: string, path: string, body?: unknown, status = 200) {
  const answer = await box.call(method, path, body)
  expect([answer.status, answer.body.error]).toEqual([status, undefined])
  return answer.body.data
}
const make = (wanted: object): Promise<Workspace> => done('POST', '/workspaces', wanted, 201)
const workspace = (id: string | null): Promise<Workspace> => done('GET', `/workspaces/${id}`)
const ask = (prompt: string, more: object): Promise<Execution> =>
  done('POST', '/executions', { capabilityId: scripted.capabilityId, prompt, ...more }, 201)

async function ended({ id }: { id: string }): Promise<Execution> {
  const read = (): Promise<Execution> => done('GET', `/executions/${id}`)
  await expect.poll(async () => isLive((await read()).status), patience).toBe(false)
  return read()
}

async function logOf({ id }: { id: string }): Promise<string> {
  const answer = await fetch(`${box.url}/api/v1/executions/${id}/logs`, {
    headers: { authorization: `Bearer ${box.token}` },
  })
  return answer.text()
}

describe('a workspace that is being prepared', () => {
  it('is begun again when the worker is killed, and the execution that waits for it runs once', async () => {
    const [marks, go] = [join(folders, 'marks'), join(folders, 'go')]
    const setup = `echo begun >> ${marks}; until test -e ${go}; do sleep 0.1; done`
    const root = makeRepository(join(folders, 'killed'), { 'signalbox.json': JSON.stringify({ setup }) })
    const folder = await make({ driver: 'folder', root })
    const asked = await ask('sh echo once >> ran; cat ran', { workspaceId: folder.id })
    const begun = () => (existsSync(marks) ? readFileSync(marks, 'utf8').split('\n').length - 1 : 0)
    await expect.poll(begun, patience).toBe(1)
    await killChild(box, 'worker')
    await expect.poll(begun, patience).toBe(2)
    writeFileSync(go, '')
    expect(await ended(asked)).toMatchObject({ status: 'succeeded', error: null })
    const own = await workspace((await ended(asked)).workspaceId)
    expect(own.state).toBe('ready')
    expect(readFileSync(join(own.root, 'ran'), 'utf8')).toBe('once\n')
  })
})

describe('a fork', () => {
  it('gets a worktree of its own, from the branch of its parent', async () => {
    const root = makeRepository(join(folders, 'forked'), { 'a.txt': 'a\n' })
    const folder = await make({ driver: 'folder', root })
    const first = await ended(await ask('sh echo b > b.txt', { workspaceId: folder.id }))
    await done('POST', `/workspaces/${first.workspaceId}/commit`, { message: 'Add b' })
    const fork = await done('POST', `/sessions/${first.sessionId}/fork`, undefined, 201)
    const second = await ended(await ask('sh cat b.txt', { sessionId: fork.id }))
    expect(second).toMatchObject({ status: 'succeeded', error: null })
    const [one, other] = [await workspace(first.workspaceId), await workspace(second.workspaceId)]
    expect(other).toMatchObject({ parentId: folder.id, sessionId: fork.id })
    expect(other.root).not.toBe(one.root)
    expect(git(other.root, 'log', '-1', '--format=%s')).toBe('Add b')
  })
})

describe('a sandbox', () => {
  it('is made from a repository, runs commands in it, and comes down when nobody uses it', async (test) => {
    if (!sandbox?.works) test.skip(sandbox?.reason ?? 'no sandbox here')
    const root = makeRepository(join(folders, 'cloned'), { 'a.txt': 'from the repository\n' })
    const { id, state } = await make({ driver: 'sandbox', source: { git: root } })
    expect(state).toBe('new')
    const execution = await shell.run('pwd; cat a.txt; echo kept > kept.txt; ls /root ~ 2>&1 | head -1', {
      workspaceId: id,
    })
    expect(await ended(execution)).toMatchObject({ status: 'succeeded', workspaceId: id })
    expect(await logOf(execution)).toContain('/workspace\nfrom the repository\n')
    expect(existsSync(join(root, 'kept.txt'))).toBe(false)
    await expect.poll(async () => (await workspace(id)).running, patience).toBe(true)
    await expect.poll(async () => (await workspace(id)).running, patience).toBe(false)
    const again = await shell.run('cat kept.txt', { workspaceId: id })
    expect(await ended(again)).toMatchObject({ status: 'succeeded' })
    expect(await logOf(again)).toContain('kept')
  })
})

describe('the configuration', () => {
  it('names workspaces, which are there from the start; one that cannot be keeps nobody from the others', async () => {
    const all: Workspace[] = await done('GET', '/workspaces')
    expect(all.filter(({ createdBy }) => createdBy === 'configuration')).toMatchObject([
      { name: 'mine', root: join(folders, 'configured'), ports: [8000], state: 'ready' },
    ])
    expect(box.log()).toContain('broken')
  })
})

describe('the command line', () => {
  const cli = (...words: string[]) =>
    execFileSync(process.execPath, [join(import.meta.dirname, '../../src/main/signalbox.ts'), ...words], {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { PATH: process.env['PATH'], HOME: box.home, SIGNALBOX_HOME: box.home },
    })

  it('lists workspaces', () => {
    expect(cli('ls', 'workspaces')).toContain('mine')
    const listed = JSON.parse(cli('ls', 'workspaces', '--json')) as Workspace[]
    expect(listed.map(({ name }) => name)).toContain('mine')
  })

  it('tells what a crash left, and removes it when it is told to', () => {
    const left = join(box.home, 'worktrees', 'gone', 'left')
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'a.txt'), 'a')
    expect(cli('prune', '--dry-run')).toMatch(/worktree +left/)
    expect(() => cli('prune')).toThrow('--yes')
    expect(existsSync(left)).toBe(true)
    expect(JSON.parse(cli('prune', '--yes', '--json'))).toMatchObject({
      isDryRun: false,
      items: [{ kind: 'worktree', name: 'left' }],
    })
    expect(existsSync(left)).toBe(false)
    expect(cli('prune', '--dry-run')).toBe('There is nothing to remove.\n')
  })
})
