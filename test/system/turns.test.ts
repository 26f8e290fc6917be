import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Approval } from '#contract/approval.ts'
import type { StreamEvent } from '#contract/event.ts'
import { isLive } from '#contract/execution.ts'
import type { Execution } from '#contract/execution.ts'
import { isAlive, identify } from '#lib/process-identity.ts'
import { killChild } from '../support/kill-child.ts'
import { registerScripted, scriptedEnv, scriptedWith } from '../support/scripted-agent.ts'
import type { ScriptedAgent } from '../support/scripted-agent.ts'
import { livingKeepers } from '../faults/executions/faults.ts'
import { startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

// Turns of an agent that speaks a protocol, through the running product.

let box: Signalbox
let scripted: ScriptedAgent
const store = mkdtempSync(join(tmpdir(), 'signalbox-store-'))
const patience = { timeout: 20_000, interval: 50 }

beforeAll(async () => {
  box = await startSignalbox({ env: { ...scriptedEnv(store), STALL_AFTER_MS: '600', AGENT_IDLE_MS: '4000' } })
  scripted = await registerScripted(box)
})
afterAll(async () => {
  await box?.stop()
  rmSync(store, { recursive: true, force: true })
})

async function ask(prompt: string, more: object = {}): Promise<Execution> {
  const { status, body } = await box.call('POST', '/executions', {
    capabilityId: scripted.capabilityId,
    prompt,
    ...more,
  })
  expect([status, body.error]).toEqual([201, undefined])
  return body.data
}

const read = async (id: string): Promise<Execution> => (await box.call('GET', `/executions/${id}`)).body.data

async function ended(id: string): Promise<Execution> {
  await expect.poll(async () => isLive((await read(id)).status), patience).toBe(false)
  return read(id)
}

async function eventsOf(sessionId: string): Promise<StreamEvent[]> {
  const all: StreamEvent[] = []
  for (;;) {
    const { body } = await box.call(
      'GET',
      `/sessions/${sessionId}/events?limit=1000&after=${all.at(-1)?.seq ?? 0}`,
    )
    all.push(...body.data)
    if (body.data.length === 0) return all
  }
}

const payloads = async (sessionId: string, type: string) =>
  (await eventsOf(sessionId)).filter((event) => event.type === type).map(({ payload }) => payload)

const said = async (sessionId: string): Promise<string> =>
  (await payloads(sessionId, 'text-delta')).map((payload) => (payload as { delta: string }).delta).join('')

async function waiting(executionId: string): Promise<Approval> {
  const list = async (): Promise<Approval[]> =>
    (await box.call('GET', `/approvals?status=waiting&executionId=${executionId}`)).body.data
  await expect.poll(async () => (await list()).length, patience).toBe(1)
  return (await list())[0]!
}

const answer = (id: string, decision: string) => box.call('POST', `/approvals/${id}`, { decision })
const linesOf = (file: string) => readFileSync(join(store, file), 'utf8').split('\n').filter(Boolean)

describe('a turn', () => {
  it('ends with what the agent said, and the same process takes the next one', async () => {
    const first = await ended((await ask('say one')).id)
    expect(first).toMatchObject({ status: 'succeeded', error: null, sessionRef: expect.any(String) })
    const second = await ended((await ask('say two', { sessionId: first.sessionId })).id)
    expect(second).toMatchObject({ status: 'succeeded', sessionRef: first.sessionRef, pid: first.pid })
    expect(await said(first.sessionId)).toBe('onetwo')
    const { body } = await box.call('GET', `/sessions/${first.sessionId}`)
    expect(body.data).toMatchObject({
      executions: 2,
      sessionRef: first.sessionRef,
      facts: { model: 'small', began: 'new' },
    })
  })

  it('takes a message while it runs, says that it waits, and does it afterwards', async () => {
    const { id, sessionId } = await ask('say first\nask go on')
    const { id: approval } = await waiting(id)
    const { body } = await box.call('POST', `/executions/${id}/messages`, { text: 'say second' })
    expect(body.data.executionId).toBe(id)
    await expect
      .poll(() => payloads(sessionId, 'data-delivery'), patience)
      .toContainEqual(expect.objectContaining({ command: 'message', outcome: 'delivered', how: 'queued' }))
    await answer(approval, 'granted')
    expect((await ended(id)).status).toBe('succeeded')
    expect(await said(sessionId)).toBe('firstanswered yessecond')
  })

  it('takes what is said while its agent is still coming up', async () => {
    const { id, sessionId } = await ask('ask go on')
    await box.call('POST', `/executions/${id}/messages`, { text: 'say second' })
    await answer((await waiting(id)).id, 'granted')
    expect((await ended(id)).status).toBe('succeeded')
    expect(await said(sessionId)).toBe('answered yessecond')
  })

  it('is interrupted even while its agent is still coming up', async () => {
    const { id } = await ask('stall')
    await box.call('POST', `/executions/${id}/interrupt`)
    expect(await ended(id)).toMatchObject({ status: 'cancelled', error: 'Interrupted' })
  })

  it('loses no message that is acknowledged around its end: the next one takes it', async () => {
    const { id, sessionId } = await ended((await ask('say 0')).id)
    const sent = Array.from({ length: 20 }, (_, index) => `${index + 1}`)
    let last = id
    for (const word of sent) {
      const { status, body } = await box.call('POST', `/executions/${last}/messages`, {
        text: `say <${word}>`,
      })
      expect(status).toBe(200)
      last = body.data.executionId
    }
    const all = async () => ((await said(sessionId)).match(/<\d+>/g) ?? []).map((word) => word.slice(1, -1))
    await expect.poll(async () => (await all()).length, patience).toBe(sent.length)
    expect((await all()).toSorted((a, b) => Number(a) - Number(b))).toEqual(sent)
  })

  it('is opened anew by a message to one that is over', async () => {
    const first = await ended((await ask('say one')).id)
    const { body } = await box.call('POST', `/executions/${first.id}/messages`, { text: 'say two' })
    expect(body.data.executionId).not.toBe(first.id)
    expect(await ended(body.data.executionId)).toMatchObject({ sessionId: first.sessionId, pid: first.pid })
  })

  it('is interrupted, and its agent lives on', async () => {
    const { id, sessionId } = await ask('say begun\nstall')
    await expect.poll(() => said(sessionId), patience).toBe('begun')
    expect((await box.call('POST', `/executions/${id}/interrupt`)).status).toBe(202)
    const interrupted = await ended(id)
    expect(interrupted).toMatchObject({ status: 'cancelled', error: 'Interrupted' })
    expect(await ended((await ask('say on', { sessionId })).id)).toMatchObject({ pid: interrupted.pid })
  })

  it('is cancelled with everything its agent started', async () => {
    const { id, sessionId } = await ask('child 300\nstall')
    await expect.poll(() => said(sessionId), patience).toContain('child')
    const agent = identify((await read(id)).pid!)!
    expect((await box.call('POST', `/executions/${id}/cancel`)).status).toBe(202)
    expect((await ended(id)).status).toBe('cancelled')
    expect(isAlive(agent)).toBe(false)
  })

  it('is cancelled while its agent is still coming up', async () => {
    const mute = await registerScripted(box, { name: 'mute', ...scriptedWith('SCRIPTED_IS_MUTE=1') })
    const { id } = await ask('say hello', { capabilityId: mute.capabilityId })
    await expect.poll(async () => (await read(id)).status, patience).toBe('running')
    expect((await box.call('POST', `/executions/${id}/cancel`)).status).toBe(202)
    await expect.poll(async () => (await read(id)).status, { timeout: 8_000 }).toBe('cancelled')
  })

  it('tells that its agent is silent, never ends it for that, and that it speaks again', async () => {
    const { id, sessionId } = await ask('wait 2000\nsay awake')
    await expect.poll(async () => (await read(id)).stalledSince, patience).not.toBeNull()
    expect(await ended(id)).toMatchObject({ status: 'succeeded', stalledSince: null })
    expect(await payloads(sessionId, 'data-stall')).toEqual([
      { silentMs: expect.any(Number) },
      { silentMs: false },
    ])
  })

  it('loses none of 5,000 updates a second', async () => {
    const { id, sessionId } = await ask('flood 5000 2')
    expect((await ended(id)).status).toBe('succeeded')
    const numbers = (await said(sessionId)).split(';').filter(Boolean).map(Number)
    expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, index) => index + 1))
  })

  it('goes on after frames that are none, and counts them', async () => {
    const { id, sessionId } = await ask('garbage 3\nnonsense\nsay still here')
    expect((await ended(id)).status).toBe('succeeded')
    expect(await said(sessionId)).toBe('still here')
    expect(await payloads(sessionId, 'data-notice')).not.toEqual([])
  })
})

describe('an agent that dies', () => {
  it('fails its turn with the reason, and the next one goes on in the same session', async () => {
    const { id, sessionId } = await ask('say one\nkill SIGKILL')
    const first = await ended(id)
    expect(first).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/SIGKILL in the middle of its turn/),
    })
    const next = await ended((await ask('say two', { sessionId })).id)
    expect(next).toMatchObject({ status: 'succeeded', sessionRef: first.sessionRef })
    expect(next.pid).not.toBe(first.pid)
    expect(await payloads(sessionId, 'data-session')).toContainEqual(
      expect.objectContaining({ began: 'resumed' }),
    )
    expect(await said(sessionId)).toBe('onetwo')
  })

  it('between two turns is resumed for the next', async () => {
    const first = await ended((await ask('say one')).id)
    const agent = identify(first.pid!)!
    process.kill(first.pid!, 'SIGKILL')
    await expect.poll(() => isAlive(agent), patience).toBe(false)
    expect(await ended((await ask('say two', { sessionId: first.sessionId })).id)).toMatchObject({
      status: 'succeeded',
      sessionRef: first.sessionRef,
    })
  })

  it('with its keeper is not missed by the next turn, which is left alone', async () => {
    const { id, sessionId } = await ask('say one\nstall')
    await expect.poll(() => said(sessionId), patience).toBe('one')
    for (const keeper of livingKeepers(box.home)) process.kill(keeper.identity.pid, 'SIGKILL')
    expect((await ended(id)).status).toBe('failed')
    const next = await ask('wait 6000\nsay two', { sessionId })
    expect(await ended(next.id)).toMatchObject({ status: 'succeeded', error: null })
  })

  it('is ended when nobody comes for a while, and the session stays', async () => {
    const first = await ended((await ask('say one')).id)
    const agent = identify(first.pid!)!
    await expect.poll(() => isAlive(agent), patience).toBe(false)
    expect(await ended((await ask('say two', { sessionId: first.sessionId })).id)).toMatchObject({
      status: 'succeeded',
      sessionRef: first.sessionRef,
    })
  })
})

describe('a question', () => {
  it('outlives web and worker, and what was granted is done once', async () => {
    const { id, sessionId } = await ask(`note ${join(store, 'once')} word\nsay done`)
    const approval = await waiting(id)
    await Promise.all([killChild(box, 'web'), killChild(box, 'worker')])
    await expect
      .poll(async () => (await answer(approval.id, 'granted').catch(() => undefined))?.status, patience)
      .toBe(200)
    expect((await ended(id)).status).toBe('succeeded')
    expect(linesOf('once')).toEqual(['word'])
    expect(await said(sessionId)).toBe('answered yesdone')
    const again = await answer(approval.id, 'granted')
    expect([again.status, again.body.error.code]).toEqual([409, 'approval_already_answered'])
  })

  it('that is refused is not done, and the turn goes on', async () => {
    const { id, sessionId } = await ask(`note ${join(store, 'never')} word\nsay done`)
    await answer((await waiting(id)).id, 'refused')
    expect((await ended(id)).status).toBe('succeeded')
    expect(await said(sessionId)).toBe('answered nodone')
    expect(() => linesOf('never')).toThrow('ENOENT')
  })

  it('stops the clock of its execution, and does not count as silence', async () => {
    const { id, sessionId } = await ask('ask something')
    const approval = await waiting(id)
    expect(await read(id)).toMatchObject({ waitingApprovals: 1, stalledSince: null })
    await answer(approval.id, 'granted')
    expect(await ended(id)).toMatchObject({ waitingApprovals: 0 })
    expect(await payloads(sessionId, 'data-stall')).toEqual([])
  })

  it('expires when its agent dies, and cannot be answered any more', async () => {
    const { id } = await ask('ask something')
    const approval = await waiting(id)
    process.kill((await read(id)).pid!, 'SIGKILL')
    expect((await ended(id)).status).toBe('failed')
    const { body } = await box.call('GET', `/approvals/${approval.id}`)
    expect(body.data.status).toBe('expired')
    expect((await answer(approval.id, 'granted')).status).toBe(409)
  })
})
