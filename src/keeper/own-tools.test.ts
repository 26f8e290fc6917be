import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startKeeper } from '../../test/support/keeper.ts'
import type { TestKeeper } from '../../test/support/keeper.ts'
import { sessionLaunch, usualTurn } from '../../test/support/session-launch.ts'
import type { ApprovalAsked } from '#contract/agent-event.ts'
import type { Launch, SpoolRecord } from '#contract/keeper.ts'
import { newId } from '#lib/id.ts'
import { RunningExecution } from './execution.ts'
import { openSpool } from './spool.ts'
import type { Over, Work } from './work.ts'

const agent = join(import.meta.dirname, '../../test/support/scripted-acp-agent.ts')
const folder = mkdtempSync(join(tmpdir(), 'own-tools-'))
let keeper: TestKeeper

beforeAll(async () => {
  keeper = await startKeeper()
})
afterAll(async () => {
  await keeper.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A session whose agent writes down what it is told. */
function openSession() {
  const sessionId = newId()
  const record = join(folder, sessionId)
  const launch = (
    text: string,
    token: string,
    more: Partial<Launch> = {},
    url = 'http://127.0.0.1:1/mcp',
  ): Promise<string> =>
    keeper.launch(process.execPath, [agent], {
      sessionId,
      executionId: newId(),
      adapter: 'acp',
      env: { PATH: process.env['PATH'] ?? '', SCRIPTED_RECORD: record, SCRIPTED_STORE: `${record}-store` },
      turn: { ...usualTurn, prompt: { text, files: [] }, ownTools: { url, token } },
      ...more,
    })
  const turn = async (...asked: Parameters<typeof launch>) => {
    const id = await launch(...asked)
    await keeper.progress(id)
    return { id, started: recordOf(id, 'started'), ended: recordOf(id, 'ended') }
  }
  /** With which tokens a process of its was started. */
  const tokens = () =>
    readFileSync(record, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"session/new"'))
      .map((line) => /Bearer ([\w-]+)/.exec(line)?.[1])
  return { sessionId, launch, turn, tokens }
}

function recordOf<Type extends SpoolRecord['type']>(id: string, type: Type) {
  const found = keeper
    .records(id)
    .find((one): one is Extract<SpoolRecord, { type: Type }> => one.type === type)
  return found?.payload as Extract<SpoolRecord, { type: Type }>['payload'] | undefined
}

const living = async (sessionId: string): Promise<unknown[]> =>
  (await keeper.call('GET', '/')).body.agents.filter(
    (one: { sessionId: string }) => one.sessionId === sessionId,
  )

it('keeps the token of a living agent, whatever the next turn brings, and tells whose it is', async () => {
  const { sessionId, turn, tokens } = openSession()
  const first = await turn('say one', 'first')
  expect(first.started).toMatchObject({ startedFor: first.id })
  expect(first.ended).not.toHaveProperty('isAgentGone')
  const second = await turn('say two', 'second')
  expect(second.started).toMatchObject({ pid: first.started?.pid, startedFor: first.id })
  expect(tokens()).toEqual(['first'])
  expect(await living(sessionId)).toMatchObject([{ startedFor: first.id }])
})

it('tells that the agent is gone with its turn, and gives the next one the new token', async () => {
  const { sessionId, launch, turn, tokens } = openSession()
  const id = await launch('wait 600000', 'first')
  await expect.poll(() => recordOf(id, 'started'), { timeout: 20_000 }).toBeDefined()
  process.kill(recordOf(id, 'started')!.pid, 'SIGKILL')
  await keeper.progress(id)
  expect(recordOf(id, 'ended')).toMatchObject({ reason: 'turn_failed', isAgentGone: true })
  expect(await living(sessionId)).toEqual([])
  const next = await turn('say two', 'second')
  expect(next.started).toMatchObject({ startedFor: next.id })
  expect(tokens()).toEqual(['first', 'second'])
})

it('tells that the agent is gone when it was cancelled', async () => {
  const { launch } = openSession()
  const id = await launch('wait 600000', 'first')
  await expect.poll(() => recordOf(id, 'started'), { timeout: 20_000 }).toBeDefined()
  await keeper.call('POST', `/executions/${id}/commands`, {
    epoch: 1,
    id: newId(),
    type: 'cancel',
    payload: null,
  })
  await keeper.progress(id)
  expect(recordOf(id, 'ended')).toMatchObject({ reason: 'cancelled', isAgentGone: true })
})

it('starts an agent anew when our tools are elsewhere', async () => {
  const { turn, tokens } = openSession()
  await turn('say one', 'first')
  const second = await turn('say two', 'second', {}, 'http://127.0.0.1:2/mcp')
  expect(second.started).toMatchObject({ startedFor: second.id })
  expect(tokens()).toEqual(['first', 'second'])
})

it('lets no time pass while a person is asked on behalf of the agent', async () => {
  const { launch } = openSession()
  const id = await launch('wait 600000', 'first', { timeoutMs: 4_000 })
  const tell = (type: string, requestId: string) =>
    keeper.call('POST', `/executions/${id}/commands`, { epoch: 1, id: newId(), type, payload: { requestId } })
  expect((await tell('hold', 'a')).body).toEqual({ outcome: 'delivered' })
  await tell('hold', 'b')
  await tell('go_on', 'a')
  await wait(5_000) // longer than all the time that it has
  expect(recordOf(id, 'ended')).toBeUndefined()
  await tell('go_on', 'b')
  await keeper.progress(id)
  expect(recordOf(id, 'ended')).toMatchObject({ reason: 'timed_out' })
  expect((await tell('hold', 'c')).body).toMatchObject({ outcome: 'refused', tooLate: true })
})

it.each([
  ['signalbox', { url: 'http://box/mcp', token: 't' }, true],
  ['signalbox', null, undefined],
  ['other', { url: 'http://box/mcp', token: 't' }, undefined],
])(
  'takes a tool of a server %s for ours only where we have given it ours',
  async (server, ownTools, isOwn) => {
    const file = join(folder, newId())
    const turn = { ...usualTurn, ownTools }
    const over = Promise.withResolvers<Over>()
    const approval = {
      requestId: '1',
      kind: 'tool',
      tool: 'x',
      title: 'x',
      input: {},
      server,
    } as ApprovalAsked
    const work: Work = {
      pid: 1,
      over: over.promise,
      tellAll: async (say) => {
        await say({ type: 'approval', approval })
        over.resolve({ reason: 'turn_completed', message: null, exitCode: null, signal: null })
      },
      tell: () => Promise.resolve({ outcome: 'delivered' }),
      stop: () => Promise.resolve(true),
      clear: () => Promise.resolve(true),
      hangUp: () => undefined,
    }
    const nothing = () => undefined
    const execution = new RunningExecution(sessionLaunch({ adapter: 'claude' }, turn), {
      spool: openSpool(file, { onGrowth: nothing, onTrouble: nothing }),
      begin: () => Promise.resolve(work),
      giveUp: nothing,
      onChange: nothing,
      onError: nothing,
    })
    await execution.ended
    const records = readFileSync(file, 'utf8').split('\n').filter(Boolean)
    const asked = records.map((line) => JSON.parse(line)).find(({ type }) => type === 'approval')
    expect(asked.payload.isOwnTool).toBe(isOwn)
  },
)
