import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import { openMcpStream } from '../support/mcp-stream.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import type { ScriptedAgent } from '../support/scripted-agent.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// What an agent is given to find its way back, through the running product: it is its process's own, and dies with it.

let box: Signalbox
let scripted: ScriptedAgent
const store = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
const record = join(store, 'received')
const patience = { timeout: 20_000, interval: 50 }

beforeAll(async () => {
  box = await startSignalbox({ env: { ...scriptedEnv(store), SCRIPTED_RECORD: record } })
  scripted = await registerScripted(box)
}, 60_000)
afterAll(async () => {
  await box?.stop()
  rmSync(store, { recursive: true, force: true })
})

/** Begins a turn that goes on until somebody ends it. */
async function begin(sessionId?: string): Promise<Execution> {
  const before = tokens().length
  const { capabilityId } = scripted
  const asked = { capabilityId, prompt: 'say hello\nstall', ...(sessionId && { sessionId }) }
  const { status, body } = await box.call('POST', '/executions', asked)
  expect([status, body.error]).toEqual([201, undefined])
  await expect.poll(() => tokens().length > before || sessionId !== undefined, patience).toBe(true)
  await expect.poll(async () => (await read(body.data.id)).pid, patience).not.toBeNull()
  return read(body.data.id)
}

const read = async (id: string): Promise<Execution> => (await box.call('GET', `/executions/${id}`)).body.data

async function over({ id }: Execution): Promise<void> {
  await expect.poll(async () => isLive((await read(id)).status), patience).toBe(false)
}

async function interrupt(execution: Execution): Promise<void> {
  await expect
    .poll(async () => (await box.call('POST', `/executions/${execution.id}/interrupt`)).status, patience)
    .toBe(202)
  await over(execution)
}

/** Every token that a process of the agent was started with. */
function tokens(): string[] {
  try {
    return [...readFileSync(record, 'utf8').matchAll(/"Bearer ([\w-]+)"/g)].map(([, token = '']) => token)
  } catch {
    return []
  }
}

const as = (token: string) => ({ authorization: `Bearer ${token}` })

/** The status, and the execution in whose name it would act. */
async function whoIs(token: string): Promise<unknown[]> {
  const { status, body } = await box.call('GET', '/auth/whoami', undefined, as(token))
  return [status, body.data?.agent?.executionId]
}

it('opens what is live in the session of its process, and nothing once that is dead', async () => {
  const first = await begin()
  const [token = '', ...none] = tokens()
  expect(none).toEqual([])
  expect(await whoIs(token)).toEqual([200, first.id])
  await interrupt(first)
  expect(await whoIs(token)).toEqual([200, null])
  const make = () => box.call('POST', '/tasks', { title: 'Made by an agent' }, as(token))
  expect((await make()).body.error.code).toBe('no_live_execution')

  const second = await begin(first.sessionId)
  expect(second.pid).toBe(first.pid)
  expect(tokens()).toEqual([token])
  expect(await whoIs(token)).toEqual([200, second.id])
  expect((await make()).body.data).toMatchObject({ createdBy: `agent:${scripted.agentId}` })

  const stream = await openMcpStream(box.url, token)
  process.kill(second.pid!, 'SIGKILL')
  await over(second)
  await stream.heard
  expect(await whoIs(token)).toEqual([401, undefined])

  const third = await begin(first.sessionId)
  const newer = tokens().at(-1) ?? ''
  expect(newer).not.toBe(token)
  await expect.poll(() => whoIs(newer), patience).toEqual([200, third.id])
  expect((await whoIs(token))[0]).toBe(401)

  // Also when it dies while nobody speaks to it.
  const resting = await openMcpStream(box.url, newer)
  await interrupt(third)
  expect(await whoIs(newer)).toEqual([200, null])
  process.kill(third.pid!, 'SIGKILL')
  await expect.poll(async () => (await whoIs(newer))[0], patience).toBe(401)
  await resting.heard

  const { body } = await box.call('GET', `/sessions/${first.sessionId}/events?limit=1000`)
  const logs = join(box.home, 'logs')
  const files = readdirSync(logs, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())
  const written = files.map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'))
  expect(written.some((text) => text.includes('session/new'))).toBe(true) // the lines of its protocol
  for (const text of [JSON.stringify(body), box.log(), ...written])
    for (const secret of tokens()) expect(text).not.toContain(secret)
})

it('runs code in the name of its agent, while a turn is under way', async () => {
  const execution = await begin()
  const token = tokens().at(-1) ?? ''
  const run = () => box.call('POST', '/execute', { code: 'return 1 + 1' }, as(token))
  const { status, body } = await run()
  expect([status, body.data]).toMatchObject([200, { success: true, result: 2 }])
  const { body: audit } = await box.call('GET', '/audit?kind=code')
  expect(audit.data[0]).toMatchObject({ actor: `agent:${scripted.agentId}`, sessionId: execution.sessionId })
  expect((await box.call('GET', '/execute/ws', undefined, as(token))).status).toBe(403)
  await interrupt(execution)
  expect((await run()).body.error.code).toBe('no_live_execution')
})
