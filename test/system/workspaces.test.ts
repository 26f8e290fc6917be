import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { StreamEvent } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import type { Workspace } from '#contract/workspace.ts'
import { git, makeRepository } from '../support/repository.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import type { ScriptedAgent } from '../support/scripted-agent.ts'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// Workspaces through the running product: where sessions work, and what becomes of it.

let box: Signalbox
let scripted: ScriptedAgent
const store = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
const patience = { timeout: 20_000, interval: 50 }

beforeAll(async () => {
  box = await startSignalbox({ env: { ...scriptedEnv(store), MIN_FREE_DISK: '1MB' } })
  scripted = await registerScripted(box)
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(store, { recursive: true, force: true })
}, 60_000)

/** What the owner asked for, which is to work. */
async function done(method: string, path: string, body?: unknown) {
  const answer = await box.call(method, path, body)
  expect([answer.status, answer.body.error]).toEqual([
    method === 'POST' && path === '/workspaces' ? 201 : 200,
    undefined,
  ])
  return answer.body.data
}

const read = async (id: string): Promise<Execution> => (await box.call('GET', `/executions/${id}`)).body.data
const workspace = async (id: string | null): Promise<Workspace> =>
  (await box.call('GET', `/workspaces/${id}`)).body.data

async function registered(root: string, more: object = {}): Promise<Workspace> {
  return done('POST', '/workspaces', { driver: 'folder', root, ...more })
}

async function turn(prompt: string, more: object): Promise<Execution> {
  const { capabilityId } = scripted
  const { status, body } = await box.call('POST', '/executions', { capabilityId, prompt, ...more })
  expect([status, body.error]).toEqual([201, undefined])
  const { id } = body.data
  await expect.poll(async () => isLive((await read(id)).status), patience).toBe(false)
  return read(id)
}

async function eventsOf(sessionId: string): Promise<StreamEvent[]> {
  return (await box.call('GET', `/sessions/${sessionId}/events?limit=1000`)).body.data
}

const said = async (sessionId: string): Promise<string> =>
  (await eventsOf(sessionId))
    .filter(({ type }) => type === 'text-delta')
    .map(({ payload }) => (payload as { delta: string }).delta)
    .join('')

const lines = async (sessionId: string): Promise<string> =>
  (await eventsOf(sessionId))
    .filter(({ type }) => type === 'data-terminal')
    .map(({ payload }) => Buffer.from((payload as { chunk: string }).chunk, 'base64').toString())
    .join('')

describe('a session that begins in a repository', () => {
  it('works in a worktree of its own, on a branch of its own, and stays there', async () => {
    const root = makeRepository(join(box.work, 'one'), { 'a.txt': 'a\n' })
    const folder = await registered(root)
    const first = await turn('sh pwd && git rev-parse --abbrev-ref HEAD && echo b > b.txt', {
      workspaceId: folder.id,
    })
    expect(first).toMatchObject({ status: 'succeeded', error: null })
    const own = await workspace(first.workspaceId)
    expect(own).toMatchObject({
      driver: 'folder',
      parentId: folder.id,
      sessionId: first.sessionId,
      state: 'ready',
      branch: expect.stringMatching(/^signalbox\//),
    })
    expect(await said(first.sessionId)).toBe(`${own.root}\n${own.branch}`)
    expect(await lines(first.sessionId)).toContain(
      `Works in a worktree of its own: ${own.root}, on branch ${own.branch}`,
    )
    expect(existsSync(join(root, 'b.txt'))).toBe(false)
    const second = await turn('sh ls', { sessionId: first.sessionId })
    expect(second.workspaceId).toBe(own.id)
    expect(await said(first.sessionId)).toContain('a.txt\nb.txt')
  })

  it('does not meet another one in the same repository at the same time', async () => {
    const folder = await registered(makeRepository(join(box.work, 'two'), { 'a.txt': 'a\n' }))
    const both = await Promise.all(
      ['x', 'y'].map((name) => turn(`sh echo ${name} > ${name}.txt; ls`, { workspaceId: folder.id })),
    )
    expect(await Promise.all(both.map(({ sessionId }) => said(sessionId)))).toEqual([
      'a.txt\nx.txt',
      'a.txt\ny.txt',
    ])
    const [one, other] = await Promise.all(both.map(({ workspaceId }) => workspace(workspaceId)))
    expect(one?.ports.some((port) => other?.ports.includes(port))).toBe(false)
  })

  it('of a user is nowhere that another user could work', async () => {
    const workingDir = makeRepository(join(box.work, 'of-users'), { 'a.txt': 'a\n' })
    const { agentId, capabilityId } = await registerScripted(box, { name: 'for users', workingDir })
    const user = async (name: string): Promise<string> =>
      (await box.call('POST', '/users', { name, scopes: ['run', 'tools'] })).body.data.token
    const [ada, bob] = [await user('Ada'), await user('Bob')]
    const asked = { capabilityId, prompt: 'sh echo hers > hers.txt' }
    const { id } = (await call(box.url, ada, 'POST', '/executions', asked)).body.data
    await expect.poll(async () => isLive((await read(id)).status), patience).toBe(false)
    const { workspaceId, sessionId } = await read(id)
    expect(await workspace(workspaceId)).toMatchObject({ sessionId, parentId: expect.any(String) })
    for (const [path, body] of [
      ['/sessions', { agentId, workspaceId }],
      ['/executions', { ...asked, workspaceId }],
    ] as const) {
      const { status, body: answer } = await call(box.url, bob, 'POST', path, body)
      expect([path, status]).toEqual([path, 422])
      expect(JSON.stringify(answer.error)).toContain(`there is no workspace ${workspaceId}`)
    }
    const commit = { message: 'Not mine' }
    expect((await call(box.url, bob, 'POST', `/workspaces/${workspaceId}/commit`, commit)).status).toBe(404)
    const beside = await call(box.url, ada, 'POST', '/sessions', { agentId, workspaceId })
    expect(beside.status).toBe(201)
    const said = await call(box.url, ada, 'POST', `/executions/${id}/messages`, { text: 'sh ls' })
    expect(said.status).toBe(200)
    const next: string = said.body.data.executionId
    await expect.poll(async () => isLive((await read(next)).status), patience).toBe(false)
    expect(await read(next)).toMatchObject({ status: 'succeeded', workspaceId })
  })

  it('of a task works where the task says, its subtasks too, unless it is told otherwise', async () => {
    const [here, there] = await Promise.all(
      ['here', 'there'].map((name) =>
        done('POST', '/workspaces', {
          driver: 'folder',
          root: makeRepository(join(box.work, `task-${name}`), { 'a.txt': 'a' }),
          worktrees: false,
        }),
      ),
    )
    const make = async (body: object) => (await box.call('POST', '/tasks', body)).body.data
    const parent = await make({ title: 'say parent', workspaceId: here.id })
    const part = await make({ title: 'say part', parentTaskId: parent.id })
    expect(part.workspaceId).toBe(here.id)
    const startedIn = async (more: object): Promise<string> => {
      const asked = { capabilityId: scripted.capabilityId, ...more }
      return (await box.call('POST', '/executions', asked)).body.data.workspaceId
    }
    expect(await startedIn({ taskId: part.id })).toBe(here.id)
    expect(await startedIn({ taskId: part.id, workspaceId: there.id })).toBe(there.id)
    await box.call('PATCH', `/tasks/${part.id}`, { workspaceId: there.id })
    expect(await startedIn({ taskId: part.id })).toBe(there.id)
    await box.call('PATCH', `/tasks/${part.id}`, { workspaceId: null })
    expect(await startedIn({ taskId: part.id })).not.toBe(there.id)

    const unknown = await box.call('PATCH', `/tasks/${part.id}`, { workspaceId: scripted.agentId })
    expect([unknown.status, unknown.body.error.message]).toEqual([
      422,
      expect.stringContaining('there is no workspace'),
    ])
    // Whoever does not see a workspace cannot name it.
    const { token } = (await box.call('POST', '/users', { name: 'eve', scopes: ['board'] })).body.data
    const named = await call(box.url, token, 'POST', '/tasks', { title: 'x', workspaceId: here.id })
    expect(named.status).toBe(422)
  })

  it('runs the setup of the repository first, with ports of its own, and tells what it said', async () => {
    const settings = { setup: 'echo "ports $SIGNALBOX_PORTS"; echo $PORT > port.txt' }
    const folder = await registered(
      makeRepository(join(box.work, 'three'), { 'signalbox.json': JSON.stringify(settings) }),
    )
    const { sessionId, workspaceId } = await turn('sh cat port.txt; echo $PORT', { workspaceId: folder.id })
    const { ports } = await workspace(workspaceId)
    expect(await said(sessionId)).toBe(`${ports[0]}\n${ports[0]}`)
    expect(await lines(sessionId)).toContain(`ports ${ports[0]}-${ports.at(-1)}`)
  })

  it('does not begin when the setup fails, and says why', async () => {
    const settings = { setup: 'echo nothing to build with >&2; exit 1' }
    const folder = await registered(
      makeRepository(join(box.work, 'four'), { 'signalbox.json': JSON.stringify(settings) }),
    )
    const failed = await turn('say hello', { workspaceId: folder.id })
    expect(failed).toMatchObject({ status: 'failed', startedAt: null })
    expect(failed.error).toContain('The setup failed: it ended with 1')
    expect(failed.error).toContain('nothing to build with')
    expect(await workspace(failed.workspaceId)).toMatchObject({ state: 'failed', error: failed.error })
  })

  it('runs the teardown of the repository before it goes, and goes also when that fails', async () => {
    const torn = join(box.work, 'torn.txt')
    const settings = { teardown: `pwd > ${torn}; echo not all of it >&2; exit 1` }
    const folder = await registered(
      makeRepository(join(box.work, 'torn'), { 'signalbox.json': JSON.stringify(settings) }),
    )
    const { workspaceId } = await turn('say hello', { workspaceId: folder.id })
    const { root } = await workspace(workspaceId)
    const removed = await done('DELETE', `/workspaces/${workspaceId}`)
    expect(removed).toMatchObject({ filesRemoved: true })
    expect(removed.message).toContain('The teardown failed: it ended with 1. It said at last: not all of it')
    expect([readFileSync(torn, 'utf8'), existsSync(root)]).toEqual([`${root}\n`, false])
  })

  it('works in place where its workspace says so', async () => {
    const root = makeRepository(join(box.work, 'five'), { 'a.txt': 'a\n' })
    const folder = await registered(root, { worktrees: false })
    const { sessionId, workspaceId } = await turn('sh pwd', { workspaceId: folder.id })
    expect([await said(sessionId), workspaceId]).toEqual([root, folder.id])
  })
})

describe('what a worktree has changed', () => {
  it('is seen, committed, and merged into its repository', async () => {
    const root = makeRepository(join(box.work, 'six'), { 'a.txt': 'a\n' })
    const folder = await registered(root)
    const { workspaceId } = await turn('sh echo b > b.txt; echo more >> a.txt', { workspaceId: folder.id })
    const diff = await done('GET', `/workspaces/${workspaceId}/diff`)
    expect(diff.files.map(({ path, change }: { path: string; change: string }) => [path, change])).toEqual([
      ['a.txt', 'modified'],
      ['b.txt', 'untracked'],
    ])
    expect(diff.diff).toContain('+more')
    const commit = await done('POST', `/workspaces/${workspaceId}/commit`, { message: 'Add more' })
    expect(commit).toMatchObject({ commit: expect.any(String) })
    const merged = await done('POST', `/workspaces/${workspaceId}/merge`, {})
    expect(merged).toMatchObject({ into: 'main', wasUpToDate: false })
    expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('b\n')
    expect(git(root, 'log', '-1', '--format=%s')).toContain('more')
    expect((await box.call('POST', `/workspaces/${folder.id}/merge`, {})).status).toBe(422)
  })

  it('is put into the trash with everything that is not committed, and comes back whole', async () => {
    const folder = await registered(makeRepository(join(box.work, 'seven'), { 'a.txt': 'a\n' }))
    const { workspaceId, sessionId } = await turn('sh echo b > b.txt; mkdir d; ln -s ../b.txt d/link', {
      workspaceId: folder.id,
    })
    const { root } = await workspace(workspaceId)
    const trashed = await done('DELETE', `/workspaces/${workspaceId}`)
    expect(trashed).toMatchObject({ filesRemoved: true })
    expect(existsSync(root)).toBe(false)
    expect(await workspace(workspaceId)).toMatchObject({ state: 'trashed', trashedAt: expect.any(String) })
    const refused = await box.call('POST', '/executions', {
      capabilityId: scripted.capabilityId,
      prompt: 'say hello',
      sessionId,
    })
    expect([refused.status, refused.body.error.code]).toEqual([409, 'workspace_trashed'])
    const restored = await done('POST', `/workspaces/${workspaceId}/restore`)
    expect(restored).toMatchObject({ state: 'ready', trashedAt: null })
    const { workspaceId: again } = await turn('sh cat d/link; git status --short', { sessionId })
    expect(again).toBe(workspaceId)
    expect(await said(sessionId)).toBe('b\n?? b.txt\n?? d/')
  })
})

describe('a folder of the user’s own', () => {
  it('is forgotten without a file being touched, and known again when it is used', async () => {
    const root = makeRepository(join(box.work, 'eight'), { 'a.txt': 'a\n' })
    const folder = await registered(root)
    const { filesRemoved, message } = await done('DELETE', `/workspaces/${folder.id}`)
    expect([filesRemoved, message]).toEqual([false, expect.stringContaining(root)])
    expect(existsSync(join(root, 'a.txt'))).toBe(true)
    expect((await registered(root)).id).toBe(folder.id)
  })
})
