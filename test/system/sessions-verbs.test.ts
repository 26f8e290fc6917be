import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import type { Session } from '#contract/session.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// Sessions opened, switched, forked, trashed and adopted, and agents by their presets, through the running product.

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-verbs-')))
const [bin, store, told, home] = ['bin', 'store', 'told', 'home'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
  string,
]
const fakeClaude = join(import.meta.dirname, '../../src/agents/claude/fixtures/fake-claude.ts')
const patience = { timeout: 20_000, interval: 50 }
let box: Signalbox
let scripted: { agentId: string; capabilityId: string }

beforeAll(async () => {
  mkdirSync(bin)
  mkdirSync(home, { mode: 0o700 })
  install('claude', '1.0.0 (Claude Code)')
  box = await startSignalbox({
    home,
    env: {
      ...scriptedEnv(store),
      ALLOWED_BINARY_DIRS: `${bin}:${scriptedEnv(store)['ALLOWED_BINARY_DIRS']}`,
      PATH: `${bin}:${process.env['PATH']}`,
      FAKE_CLAUDE_TOLD: told,
    },
  })
  scripted = await registerScripted(box)
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A program that tells this version, and else says what was once recorded of Claude Code. */
function install(name: string, version: string): void {
  const script = `#!/bin/sh
[ "$1" = --version ] && echo '${version}' && exit
exec '${process.execPath}' '${fakeClaude}' resumed -- "$@"
`
  writeFileSync(join(bin, name), script)
  chmodSync(join(bin, name), 0o755)
}

async function made<Made>(path: string, body?: object): Promise<Made> {
  const { status, body: answer } = await box.call('POST', path, body)
  expect([path, status, answer.error]).toEqual([path, 201, undefined])
  return answer.data
}

const session = async (id: string): Promise<Session> => (await box.call('GET', `/sessions/${id}`)).body.data

async function turn(prompt: string, more: object = {}): Promise<Execution> {
  const asked = { capabilityId: scripted.capabilityId, prompt, ...more }
  return ended((await made<Execution>('/executions', asked)).id)
}

async function ended(id: string): Promise<Execution> {
  const read = async (): Promise<Execution> => (await box.call('GET', `/executions/${id}`)).body.data
  await expect.poll(async () => isLive((await read()).status), patience).toBe(false)
  return read()
}

describe('a session', () => {
  it('is opened, asked, renamed, and switched to what its agent offers', async () => {
    const { id } = await made<Session>('/sessions', { agentId: scripted.agentId, title: 'Later' })
    expect(await turn('say one', { sessionId: id })).toMatchObject({ status: 'succeeded', sessionId: id })
    const { facts } = await session(id)
    expect(facts).toMatchObject({ began: 'new', model: 'small', mode: 'ask' })
    const unknown = await box.call('PATCH', `/sessions/${id}`, { model: 'huge' })
    expect([unknown.status, unknown.body.error.message]).toEqual([
      422,
      expect.stringContaining('It has: small, large'),
    ])
    const { status } = await box.call('PATCH', `/sessions/${id}`, { title: 'Now', model: 'large' })
    expect(status).toBe(200)
    await turn('say two', { sessionId: id })
    expect(await session(id)).toMatchObject({ title: 'Now', model: 'large', executions: 2 })
  })

  it('goes on below an execution that is over', async () => {
    const first = await turn('say one')
    const next = await turn('say two', { parentExecutionId: first.id })
    expect(next).toMatchObject({ sessionId: first.sessionId, sessionRef: first.sessionRef })
  })

  it('is forked into one that knows what was said, and is itself as it was', async () => {
    const parent = await turn('say one')
    const fork = await made<Session>(`/sessions/${parent.sessionId}/fork`)
    const first = await turn('say two', { sessionId: fork.id })
    expect(await session(fork.id)).toMatchObject({
      parentSessionId: parent.sessionId,
      facts: { began: 'forked', sessionRef: first.sessionRef },
    })
    expect(first.sessionRef).not.toBe(parent.sessionRef)
    const history = readFileSync(join(store, `${first.sessionRef}.json`), 'utf8')
    expect(history).toMatch(/one.*two/)
    expect(readFileSync(join(store, `${parent.sessionRef}.json`), 'utf8')).not.toContain('two')
    const second = await turn('say three', { sessionId: fork.id })
    expect(second.sessionRef).toBe(first.sessionRef)
  })

  it('goes to the trash and comes back', async () => {
    const { sessionId } = await turn('say one')
    expect((await box.call('DELETE', `/sessions/${sessionId}`)).status).toBe(204)
    const listed = async (query: string) =>
      (await box.call('GET', `/sessions${query}`)).body.data.map(({ id }: Session) => id)
    expect(await listed('')).not.toContain(sessionId)
    expect(await listed('?trashed=true')).toEqual([sessionId])
    expect((await box.call('POST', `/sessions/${sessionId}/restore`)).status).toBe(200)
    expect(await turn('say two', { sessionId })).toMatchObject({ status: 'succeeded' })
  })
})

describe('an agent by its preset', () => {
  const ask = async (agentId: string): Promise<string> =>
    (await box.call('GET', `/agents/${agentId}/capabilities`)).body.data[0].id

  it('is refused while it is too old, and does not start before it is logged in', async () => {
    const presets = async () => (await box.call('GET', '/agents/presets')).body.data
    expect((await presets())[0]).toMatchObject({ key: 'claude', version: '1.0.0', tooOld: true })
    const refused = await box.call('POST', '/agents', { preset: 'claude' })
    expect([refused.status, refused.body.error.message]).toEqual([422, expect.stringContaining('Update it:')])

    install('claude', '2.1.325 (Claude Code)')
    expect((await presets())[0]).toMatchObject({ version: '2.1.325', tooOld: false, login: { state: 'no' } })
    const { id } = await made<{ id: string }>('/agents', { preset: 'claude', workingDir: box.work })
    const execution = await turn('Hello', { capabilityId: await ask(id) })
    expect(execution).toMatchObject({
      status: 'failed',
      pid: null,
      error: expect.stringMatching(
        /^Claude Code is not ready: it is not logged in: run `claude` in a terminal/,
      ),
    })
  })

  it('has its own sessions found, adopted once, and resumed', async () => {
    const ref = 'fcf03cc8-2b85-427d-8a94-89eddc1f7dbe'
    const history = join(home, '.claude/projects/-work')
    mkdirSync(history, { recursive: true })
    writeFileSync(join(home, '.claude/.credentials.json'), '{"claudeAiOauth":{"accessToken":"x"}}')
    const said = (type: string, content: string, uuid: string) =>
      JSON.stringify({
        type,
        uuid,
        cwd: box.work,
        timestamp: '2026-01-01T10:00:00.000Z',
        message: { content },
      })
    const lines = [said('user', 'Fix the build', 'u1'), said('assistant', 'It is fixed.', 'u2')]
    writeFileSync(join(history, `${ref}.jsonl`), `${lines.join('\n')}\n`)
    const agent = await made<{ id: string }>('/agents', {
      preset: 'claude',
      name: 'Claude with history',
      envAllowlist: ['FAKE_CLAUDE_TOLD'],
      workingDir: box.work,
    })
    const outside = async () => (await box.call('GET', `/sessions/outside?agentId=${agent.id}`)).body.data
    expect(await outside()).toEqual([
      expect.objectContaining({ ref, cwd: box.work, title: 'Fix the build', turns: 1, adoptedBy: null }),
    ])

    const adopted = await made<Session>('/sessions', { agentId: agent.id, adopt: ref })
    expect(adopted).toMatchObject({ title: 'Fix the build', sessionRef: ref, adoptedAt: expect.any(String) })
    const twice = await box.call('POST', '/sessions', { agentId: agent.id, adopt: ref })
    expect([twice.status, twice.body.error.context]).toEqual([409, { sessionId: adopted.id }])
    expect((await outside())[0].adoptedBy).toBe(adopted.id)
    const { body } = await box.call('GET', `/sessions/${adopted.id}/events`)
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual([
      'data-adopted',
      'data-message',
      'text-start',
      'text-delta',
      'text-end',
    ])

    const next = await turn('And now?', { capabilityId: await ask(agent.id), sessionId: adopted.id })
    expect(next).toMatchObject({ status: 'succeeded', sessionRef: ref })
    expect(readFileSync(told, 'utf8')).toContain(`"--resume","${ref}"`)
  })
})
