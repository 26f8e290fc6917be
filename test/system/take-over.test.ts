import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import type { Session, TakenOver } from '#contract/session.ts'
import { killChild } from '../support/kill-child.ts'
import { markedProcesses } from '../faults/executions/faults.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// A person steps into a session with Claude Code and gives it back, through the running product.

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-take-over-')))
const bin = join(folder, 'bin')
const home = join(folder, 'home')
const fake = join(import.meta.dirname, '../support/claude-with-interface.ts')
const patience = { timeout: 20_000, interval: 50 }
let box: Signalbox
let capabilityId: string

beforeAll(async () => {
  mkdirSync(bin)
  mkdirSync(home, { mode: 0o700 })
  writeFileSync(join(bin, 'claude'), `#!/bin/sh\nexec '${process.execPath}' '${fake}' "$@"\n`)
  chmodSync(join(bin, 'claude'), 0o755)
  box = await startSignalbox({
    home,
    env: {
      PATH: `${bin}:${process.env['PATH']}`,
      ANTHROPIC_API_KEY: 'a-key',
      CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    },
  })
  const agent = await made('/agents', { preset: 'claude' })
  const { body } = await box.call('GET', `/agents/${agent.id}/capabilities`)
  capabilityId = body.data[0].id
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function made(path: string, body: object) {
  const { status, body: answer } = await box.call('POST', path, body)
  expect([path, status, answer.error]).toEqual([path, 201, undefined])
  return answer.data
}

const start = (prompt: string, more: object = {}): Promise<Execution> =>
  made('/executions', { capabilityId, prompt, ...more })
const read = async (id: string): Promise<Execution> => (await box.call('GET', `/executions/${id}`)).body.data
const session = async (id: string): Promise<Session> => (await box.call('GET', `/sessions/${id}`)).body.data
const events = async (id: string) =>
  (await box.call('GET', `/sessions/${id}/events?limit=1000`)).body.data as {
    type: string
    payload: Record<string, unknown>
  }[]

async function ended(id: string): Promise<Execution> {
  await expect.poll(async () => isLive((await read(id)).status), patience).toBe(false)
  return read(id)
}

async function takeOver(id: string): Promise<TakenOver> {
  const { status, body } = await box.call('POST', `/sessions/${id}/takeover`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}

const handBack = async (id: string) => {
  const { status, body } = await box.call('POST', `/sessions/${id}/handback`)
  expect([status, body.error]).toEqual([200, undefined])
  return body.data as Session
}

/** Somebody on the machine who attaches with the command line that was told, and types. */
async function person(attach: string, types: string): Promise<string> {
  const child = spawn('script', ['-qc', attach, '/dev/null'], {
    env: { ...process.env, TERM: 'xterm' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let seen = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text))
  const left = new Promise((resolve) => child.once('exit', resolve))
  await expect.poll(() => seen, patience).toContain('This is')
  child.stdin.write(`${types}\r`)
  await expect.poll(() => seen, patience).toContain(`: ${types}`)
  child.stdin.write('\u0002d')
  await left
  return seen
}

const takeovers = async (id: string) =>
  (await events(id)).filter(({ type }) => type === 'data-takeover').map(({ payload }) => payload)
const said = async (id: string) =>
  (await events(id)).flatMap(({ type, payload }) =>
    type === 'data-message' ? [payload['text']] : type === 'text-delta' ? [payload['delta']] : [],
  )
const tmuxOf = (id: string) => markedProcesses().filter(({ execution }) => execution.startsWith(`tmux:${id}`))

it('steps in, types, and gives back: what was said meanwhile is there, and the next turn goes on', async () => {
  const { id, sessionId } = await start('one')
  expect(await ended(id)).toMatchObject({ status: 'succeeded' })
  const { sessionRef } = await session(sessionId)
  const { attach, tmuxSession, ...rest } = await takeOver(sessionId)
  expect(rest).toEqual({ sessionRef })
  expect(await session(sessionId)).toMatchObject({ takenOverAt: expect.any(String), tmuxSession })
  expect(await takeOver(sessionId)).toMatchObject({ attach, tmuxSession })

  const refused = await box.call('POST', '/executions', { capabilityId, prompt: 'no', sessionId })
  expect([refused.status, refused.body.error.code]).toEqual([409, 'session_taken_over'])
  const unheard = await box.call('POST', `/executions/${id}/messages`, { text: 'no' })
  expect([unheard.status, unheard.body.error.code]).toEqual([409, 'session_taken_over'])

  expect(await person(attach, 'two')).toContain(`This is ${sessionRef}`)
  expect(await handBack(sessionId)).toMatchObject({ takenOverAt: null, tmuxSession: null, sessionRef })
  expect(await handBack(sessionId)).toMatchObject({ takenOverAt: null })
  expect(await said(sessionId)).toEqual(['one', 'turn 1: one', 'two', 'turn 2: two'])
  expect(await takeovers(sessionId)).toEqual([
    { state: 'begun', by: 'owner' },
    { state: 'open', tmuxSession, isFresh: false },
    { state: 'ended', by: 'owner', turns: 2 },
  ])
  expect(tmuxOf(sessionId)).toEqual([])

  const next = await box.call('POST', `/executions/${id}/messages`, { text: 'three' })
  expect(await ended(next.body.data.executionId)).toMatchObject({ status: 'succeeded', sessionRef })
  expect((await said(sessionId)).at(-1)).toBe('turn 3: three')
})

it('interrupts a turn, and what it asked is not waited for any more', async () => {
  const { id, sessionId } = await start('ask')
  const waiting = async () => (await box.call('GET', `/approvals?executionId=${id}`)).body.data
  await expect.poll(async () => (await waiting()).length, patience).toBe(1)
  await takeOver(sessionId)
  expect(await read(id)).toMatchObject({ status: 'cancelled', waitingApprovals: 0 })
  const [approval] = await waiting()
  expect(approval).toMatchObject({ status: 'expired', reason: 'taken over' })
  const late = await box.call('POST', `/approvals/${approval.id}`, { decision: 'granted' })
  expect(late.status).toBe(409)
  await handBack(sessionId)
})

it('is handed back by itself when tmux dies, with what was said', async () => {
  const { id, sessionId } = await start('one')
  await ended(id)
  const { attach } = await takeOver(sessionId)
  await person(attach, 'two')
  for (const { pid } of tmuxOf(sessionId)) process.kill(pid, 'SIGKILL')
  await expect.poll(async () => (await session(sessionId)).takenOverAt, patience).toBe(null)
  expect((await takeovers(sessionId)).at(-1)).toEqual({
    state: 'ended',
    by: null,
    turns: 2,
    reason: 'Its terminal is gone',
  })
  expect((await said(sessionId)).at(-1)).toBe('turn 2: two')
})

it('ends a turn that does not heed an interrupt', async () => {
  const { id, sessionId } = await start('think deaf')
  await expect.poll(async () => (await read(id)).status, patience).toBe('running')
  await expect.poll(async () => (await session(sessionId)).sessionRef, patience).not.toBe(null)
  await takeOver(sessionId)
  expect(await read(id)).toMatchObject({ status: 'cancelled' })
  await handBack(sessionId)
})

it('stays with the person when the worker is killed', async () => {
  const { id, sessionId } = await start('one')
  await ended(id)
  const { attach } = await takeOver(sessionId)
  await killChild(box, 'worker')
  await person(attach, 'two')
  await expect
    .poll(async () => (await box.call('POST', `/sessions/${sessionId}/handback`)).status, patience)
    .toBe(200)
  expect((await said(sessionId)).at(-1)).toBe('turn 2: two')
})

it('begins afresh where nothing was said yet, and goes on in that', async () => {
  const { agentId } = await read((await start('before')).id)
  const { id: sessionId } = await made('/sessions', { agentId })
  const { attach, sessionRef } = await takeOver(sessionId)
  expect(sessionRef).toBe(null)
  await ended((await start('another session, at the same time')).id)
  await person(attach, 'first')
  const back = await handBack(sessionId)
  expect(back.sessionRef).toEqual(expect.any(String))
  const { id } = await start('second', { sessionId })
  expect(await ended(id)).toMatchObject({ status: 'succeeded', sessionRef: back.sessionRef })
  expect((await said(sessionId)).at(-1)).toBe('turn 2: second')
})

it('refuses agents without an interface of their own, and other people’s sessions', async () => {
  const agent = await made('/agents', { name: 'true', binaryPath: '/bin/true' })
  const { id } = await made('/sessions', { agentId: agent.id })
  const { status, body } = await box.call('POST', `/sessions/${id}/takeover`)
  expect([status, body.error.code]).toEqual([409, 'cannot_take_over'])
  expect(body.error.message).toContain('has no interface of its own that is known')
  expect((await session(id)).takenOverAt).toBe(null)

  const { token } = (await box.call('POST', '/users', { name: 'somebody', scopes: ['run', 'terminal'] })).body
    .data
  const headers = { authorization: `Bearer ${token}` }
  expect((await box.call('POST', `/sessions/${id}/takeover`, undefined, headers)).status).toBe(404)
  expect((await box.call('POST', `/sessions/${id}/handback`, undefined, headers)).status).toBe(404)
})

it('leaves no tmux behind', async () => {
  const { id, sessionId } = await start('one')
  await ended(id)
  await takeOver(sessionId)
  expect(tmuxOf(sessionId)).not.toEqual([])
  expect(await box.stop()).toBe(0)
  expect(tmuxOf(sessionId)).toEqual([])
  const shown = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
  expect(shown).not.toContain(folder)
})
