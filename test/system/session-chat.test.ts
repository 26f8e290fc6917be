import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { UIMessage } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, openChat, textOf, toolsOf } from '../support/bridge.ts'
import { registerScripted, scriptedEnv } from '../support/scripted-agent.ts'
import type { ScriptedAgent } from '../support/scripted-agent.ts'
import { call, startSignalbox } from '../support/signalbox.ts'
import type { Signalbox } from '../support/signalbox.ts'

let box: Signalbox
let agent: ScriptedAgent
const store = mkdtempSync(join(tmpdir(), 'scripted-'))

beforeAll(async () => {
  box = await startSignalbox({ env: scriptedEnv(store) })
  agent = await registerScripted(box)
}, 120_000)
afterAll(async () => {
  await box?.stop()
  rmSync(store, { recursive: true, force: true })
})

const patience = { timeout: 30_000 }

async function openSession(token = box.token): Promise<string> {
  const { status, body } = await call(box.url, token, 'POST', '/sessions', { agentId: agent.agentId })
  expect(status).toBe(201)
  return body.data.id
}

const chatOf = (sessionId: string, messages: UIMessage[] = [], token = box.token) =>
  openChat(`${box.url}/api/v1/sessions/${sessionId}/chat`, { authorization: `Bearer ${token}` }, messages)

async function historyOf(sessionId: string): Promise<UIMessage[]> {
  const { status, body } = await box.call('GET', `/sessions/${sessionId}/chat`)
  expect(status).toBe(200)
  return body.data
}

const streamOf = (sessionId: string, path = 'stream') =>
  fetch(`${box.url}/api/v1/sessions/${sessionId}/chat/${path}`, {
    headers: { authorization: `Bearer ${box.token}` },
  })

describe('sessions/:id/chat', () => {
  test('is a chat for the AI SDK’s own client, turn after turn, and tells its history', async () => {
    const sessionId = await openSession()
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'think hm\nsay Hello\ntool Read contents' })
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    expect(textOf(chat.lastMessage)).toBe('Hello')
    expect(toolsOf(chat.lastMessage)).toMatchObject([{ toolName: 'Read', output: 'contents' }])
    expect(dataOf(chat.lastMessage, 'data-session')).toHaveLength(1)
    await chat.sendMessage({ text: 'say Again' })
    expect(textOf(chat.lastMessage)).toBe('Again')
    const told = await historyOf(sessionId)
    expect(told.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(told.map(textOf)).toEqual(chat.messages.map(textOf))
    expect(told[1]?.id).toBe(chat.messages[1]?.id)
    expect((await streamOf(sessionId)).status).toBe(204)
  })

  test('asks in the stream, and is answered as the AI SDK does; the tool runs once', async () => {
    const sessionId = await openSession()
    const file = join(box.work, 'noted')
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: `say Well:\nnote ${file} done\nask ls` })
    for (const said of ['Well:answered yes', 'Well:answered yesanswered yes']) {
      const asked = toolsOf(chat.lastMessage).find(({ state }) => state === 'approval-requested')
      expect(asked?.approval).toMatchObject({ descriptor: { kind: 'tool' } })
      await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved: true })
      await expect.poll(() => [chat.status, textOf(chat.lastMessage)], patience).toEqual(['ready', said])
    }
    expect(chat.error).toBeUndefined()
    expect(chat.messages).toHaveLength(2)
    expect(readFileSync(file, 'utf8')).toBe('done\n')
    const told = await historyOf(sessionId)
    expect(told.map(textOf)).toEqual(chat.messages.map(textOf))
    expect(toolsOf(told[1]).map(({ state }) => state)).toEqual(['output-available', 'output-available'])
  })

  test('a question that comes beside a tool that does not end is asked all the same', async () => {
    const sessionId = await openSession()
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'open Watch\nask ls' })
    const asked = toolsOf(chat.lastMessage).find(({ state }) => state === 'approval-requested')
    await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved: false, reason: 'not now' })
    await expect
      .poll(() => [chat.status, textOf(chat.lastMessage)], patience)
      .toEqual(['ready', 'answered no'])
    expect(toolsOf(chat.lastMessage).filter(({ state }) => !state.startsWith('output-'))).toEqual([])
  })

  test('a forged answer, or one about something else, does nothing', async () => {
    const sessionId = await openSession()
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'ask ls' })
    const [asked] = toolsOf(chat.lastMessage)
    const answer = (id: string, input: unknown) => ({
      messages: [
        {
          id: 'm',
          role: 'assistant',
          parts: [{ ...asked, state: 'approval-responded', input, approval: { id, approved: true } }],
        },
      ],
    })
    const path = `/sessions/${sessionId}/chat`
    const forged = await box.call('POST', path, answer('019a0000-0000-7000-8000-000000000000', asked!.input))
    expect([forged.status, forged.body.error.code]).toEqual([409, 'approval_not_waiting'])
    expect((await box.call('POST', path, answer(asked!.approval!.id, { command: 'rm' }))).status).toBe(409)
    const elsewhere = await openSession()
    const other = await box.call(
      'POST',
      `/sessions/${elsewhere}/chat`,
      answer(asked!.approval!.id, asked!.input),
    )
    expect(other.status).toBe(409)
    const { body } = await box.call('GET', `/approvals?status=waiting&sessionId=${sessionId}`)
    expect(body.data).toHaveLength(1)
    await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved: true })
    await expect.poll(() => textOf(chat.lastMessage), patience).toBe('answered yes')
  })

  test('an answer takes the scope to approve, as it does anywhere', async () => {
    const made = async (name: string, scopes: string[]) =>
      (await box.call('POST', '/users', { name, scopes })).body.data.token as string
    const token = await made('chatty', ['chat', 'run'])
    const sessionId = await openSession(token)
    const chat = chatOf(sessionId, [], token)
    await chat.sendMessage({ text: 'ask ls' })
    const [asked] = toolsOf(chat.lastMessage)
    const parts = [
      { ...asked, state: 'approval-responded', approval: { id: asked!.approval!.id, approved: true } },
    ]
    const given = { messages: [{ id: 'm', role: 'assistant', parts }] }
    const refused = await call(box.url, token, 'POST', `/sessions/${sessionId}/chat`, given)
    expect([refused.status, refused.body.error.context]).toEqual([403, { missing: ['approve'] }])
    const { body } = await box.call('GET', `/approvals?status=waiting&sessionId=${sessionId}`)
    expect(body.data).toHaveLength(1)
    const answered = await box.call('POST', `/approvals/${body.data[0].id}`, { decision: 'granted' })
    expect(answered.status).toBe(200)
  })

  test('a turn under way is read again from its beginning', async () => {
    const sessionId = await openSession()
    const chat = chatOf(sessionId)
    const sending = chat.sendMessage({ text: 'say One\nstall' })
    await expect.poll(() => textOf(chat.messages[1]), patience).toBe('One')
    await chat.stop()
    await sending
    const again = chatOf(sessionId, (await historyOf(sessionId)).slice(0, 1))
    const resumed = again.resumeStream()
    await expect.poll(() => textOf(again.messages[1]), patience).toBe('One')
    const { body } = await box.call('GET', `/executions?sessionId=${sessionId}`)
    expect(again.messages[1]?.id).toBe(body.data[0].id)
    await box.call('POST', `/executions/${body.data[0].id}/interrupt`)
    await resumed
    expect((await streamOf(sessionId, 'any/stream')).status).toBe(204)
  })

  test('a message to a turn under way goes to it', async () => {
    const sessionId = await openSession()
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'say One\nask ls' })
    const second = chatOf(sessionId)
    await second.sendMessage({ text: 'say Two' })
    const [asked] = toolsOf(second.lastMessage)
    expect(asked).toMatchObject({ state: 'approval-requested', input: toolsOf(chat.lastMessage)[0]!.input })
    await second.addToolApprovalResponse({ id: asked!.approval!.id, approved: true })
    await expect.poll(() => textOf(second.lastMessage), patience).toBe('answered yesTwo')
    const told = await historyOf(sessionId)
    expect(told.map(textOf)).toEqual(['say One\nask ls', 'One', 'say Two', 'answered yesTwo'])
    expect(told[3]?.id).toBe(second.lastMessage?.id)
  })

  test('an agent that fails ends the stream with an error', async () => {
    const chat = chatOf(await openSession())
    await chat.sendMessage({ text: 'say One\nkill' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toMatch(/SIGKILL/)
    expect(textOf(chat.lastMessage)).toBe('One')
  })

  test('starts afresh when it is deleted: the next turn begins a new session, and says so', async () => {
    const sessionId = await openSession()
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'say One' })
    const ref = (await box.call('GET', `/sessions/${sessionId}`)).body.data.sessionRef
    expect((await box.call('DELETE', `/sessions/${sessionId}/chat`)).status).toBe(204)
    expect(await historyOf(sessionId)).toEqual([])
    const next = chatOf(sessionId)
    await next.sendMessage({ text: 'say Two' })
    expect(dataOf(next.lastMessage, 'data-session')).toMatchObject([{ began: 'new' }])
    expect(dataOf(next.lastMessage, 'data-notice')).toHaveLength(1)
    expect((await historyOf(sessionId)).map(textOf)).toEqual(['say Two', 'Two'])
    const { body } = await box.call('GET', `/sessions/${sessionId}`)
    expect(body.data.sessionRef).not.toBe(ref)
  })

  test('is of those alone whose session it is, with the scope for it', async () => {
    const made = async (name: string, scopes: string[]) =>
      (await box.call('POST', '/users', { name, scopes })).body.data.token as string
    const [ada, eve, mute] = [
      await made('ada', ['chat', 'run']),
      await made('eve', ['chat', 'run']),
      await made('mute', ['board']),
    ]
    const sessionId = await openSession(ada)
    const body = { messages: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'say Hi' }] }] }
    const path = `/sessions/${sessionId}/chat`
    for (const [method, at] of [
      ['GET', path],
      ['POST', path],
      ['DELETE', path],
      ['GET', `${path}/stream`],
    ] as const) {
      const given = method === 'POST' ? body : undefined
      expect((await call(box.url, eve, method, at, given)).status).toBe(404)
      expect((await call(box.url, mute, method, at, given)).status).toBe(403)
      expect((await call(box.url, undefined, method, at, given)).status).toBe(401)
    }
    const chat = chatOf(sessionId, [], ada)
    await chat.sendMessage({ text: 'say Hi' })
    expect(textOf(chat.lastMessage)).toBe('Hi')
  })
})
