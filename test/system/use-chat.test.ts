import type { UIMessage } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openChat, textOf, toolsOf } from '../support/bridge.ts'
import { openChatRoom, patience } from '../support/chat/room.ts'
import type { ChatAgent, ChatRoom } from '../support/chat/room.ts'
import { killChild } from '../support/kill-child.ts'

// What `useChat` is made of, as it comes: the AI SDK's chat with its own transport, against a session with a model.

let room: ChatRoom
let agent: ChatAgent

beforeAll(async () => {
  room = await openChatRoom()
  agent = await room.agent({ permissionPolicy: 'reads' })
}, 120_000)
afterAll(() => room?.close())

const chatOf = (sessionId: string, messages: UIMessage[] = []) =>
  openChat(
    `${room.box.url}/api/v1/sessions/${sessionId}/chat`,
    { authorization: `Bearer ${room.box.token}` },
    messages,
  )
type Chat = ReturnType<typeof chatOf>

async function toldOf(sessionId: string): Promise<UIMessage[]> {
  const { status, body } = await room.box.call('GET', `/sessions/${sessionId}/chat`)
  expect(status).toBe(200)
  return body.data
}

const bare = (messages: readonly UIMessage[]) =>
  JSON.parse(JSON.stringify(messages.map(({ id, role, parts }) => ({ id, role, parts }))))

/** Whoever comes later is told what this one was told, to the last part. */
async function expectSameTold(chat: Chat, sessionId: string): Promise<void> {
  expect(bare(await toldOf(sessionId))).toEqual(bare(chat.messages))
}

const askedIn = (chat: Chat) =>
  toolsOf(chat.lastMessage).filter((part) => part.state === 'approval-requested')

async function answer(chat: Chat, at: number, approved: boolean, reason?: string): Promise<void> {
  const id = askedIn(chat)[at]!.approval.id
  await chat.addToolApprovalResponse({ id, approved, ...(reason && { reason }) })
}

async function untilReady(chat: Chat, text: RegExp): Promise<void> {
  await expect
    .poll(() => [chat.status, textOf(chat.lastMessage)], patience)
    .toEqual(['ready', expect.stringMatching(text)])
}

async function untilSaid(chat: Chat, text: string): Promise<void> {
  await expect.poll(() => textOf(chat.lastMessage), patience).toContain(text)
}

const statusOfWeb = (): Promise<number> =>
  room.box.call('GET', '/health').then(
    ({ status }) => status,
    () => 0,
  )

describe('useChat, with a model', () => {
  test.each([
    'anthropic/claude-sonnet-4-5',
    'google/gemini-2.5-flash',
    'openai/gpt-5-mini',
    'compatible/a-model',
  ])('says and hears with %s, and what was told is told again in the same parts', async (model) => {
    const sessionId = await room.open(agent, model)
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'one [[think:Hm.]] [[text:Hello to you.]]' })
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    expect(textOf(chat.lastMessage)).toBe('Hello to you.')
    expect(chat.lastMessage?.parts.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['step-start', 'text']),
    )
    await chat.sendMessage({ text: 'two [[call:desk__look {"key":"seen"}]] [[text:There.]]' })
    expect(toolsOf(chat.lastMessage)).toMatchObject([
      { state: 'output-available', input: { key: 'seen' }, output: 'look: seen is done' },
    ])
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    await expectSameTold(chat, sessionId)
    const next = chatOf(sessionId, await toldOf(sessionId))
    await next.sendMessage({ text: 'three [[text:Still here.]]' })
    expect(textOf(next.lastMessage)).toBe('Still here.')
    expect(next.messages).toHaveLength(6)
  })

  test('hears the words while they are said', async () => {
    const chat = chatOf(await room.open(agent))
    const sending = chat.sendMessage({ text: '[[slow:20]]' })
    await untilSaid(chat, '3 ')
    expect(chat.status).toBe('streaming')
    expect(textOf(chat.lastMessage)).not.toContain('20')
    await sending
    expect(textOf(chat.lastMessage)).toMatch(/^1 2 3 .*19 20 $/)
  })

  test('is asked about a call, says yes, and the answer goes on in the same message', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'ask-one [[call:desk__book {"key":"asked-one"}]] [[text:Booked.]]' })
    expect(askedIn(chat)).toMatchObject([{ input: { key: 'asked-one' } }])
    expect(room.done()).not.toContain('book asked-one')
    await answer(chat, 0, true)
    await untilReady(chat, /Booked\.$/)
    expect(chat.messages).toHaveLength(2)
    expect(toolsOf(chat.lastMessage)).toMatchObject([
      { state: 'output-available', output: 'book: asked-one is done' },
    ])
    expect(room.done().filter((line) => line === 'book asked-one')).toHaveLength(1)
    await expectSameTold(chat, sessionId)
  })

  test('answers several calls of one step, some with no: the others are made, and all come back together', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    const calls = [
      ['desk__book', { key: 'mixed-a' }],
      ['desk__look', { key: 'mixed-b' }],
      ['desk__book', { key: 'mixed-c' }],
      ['desk__fail', { key: 'mixed-d' }],
    ]
    await chat.sendMessage({ text: `mixed [[calls:${JSON.stringify(calls)}]] [[text:All told.]]` })
    expect(askedIn(chat).map(({ input }) => input)).toEqual(
      ['a', 'c', 'd'].map((key) => ({ key: `mixed-${key}` })),
    )
    await answer(chat, 0, true)
    await answer(chat, 0, false, 'Not that one')
    expect(room.requests('mixed ')).toHaveLength(1)
    await answer(chat, 0, true)
    await untilReady(chat, /All told\.$/)
    const [a, b, c, d] = toolsOf(chat.lastMessage)
    expect([a?.state, b?.state, c?.state]).toEqual(['output-available', 'output-available', 'output-denied'])
    expect(d).toMatchObject({ input: { key: 'mixed-d' } })
    expect(JSON.stringify(d)).toContain('closed for mixed-d')
    expect(room.requests('mixed ').at(-1)?.results).toHaveLength(4)
    expect(room.requests('mixed ').at(-1)?.results[2]).toContain('Not that one')
    await expectSameTold(chat, sessionId)
  })

  test('is asked again and again in one turn, whatever was said before', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    const call = (key: string) => `[[call:desk__book {"key":"${key}"}]]`
    await chat.sendMessage({ text: `chain ${call('chain-1')} ${call('chain-2')} [[text:Both.]]` })
    await answer(chat, 0, true)
    await expect.poll(() => askedIn(chat).map(({ input }) => input), patience).toEqual([{ key: 'chain-2' }])
    await expect.poll(() => chat.status, patience).toBe('ready')
    await answer(chat, 0, false)
    await untilReady(chat, /Both\.$/)
    expect(toolsOf(chat.lastMessage).map(({ state }) => state)).toEqual(['output-available', 'output-denied'])
    await expectSameTold(chat, sessionId)
  })

  test('says something while a question waits: it is asked again after that, and the answer goes on there', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'word [[call:desk__book {"key":"word"}]] [[text:Booked.]]' })
    await chat.sendMessage({ text: 'And also this' })
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    const waiting = await toldOf(sessionId)
    expect(bare(waiting)).toEqual(bare(chat.messages))
    expect(waiting.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(askedIn(chat)).toMatchObject([{ toolName: 'desk__book', input: { key: 'word' } }])
    await answer(chat, 0, true)
    await untilReady(chat, /Booked\.$/)
    expect(toolsOf(chat.lastMessage)).toMatchObject([
      { toolName: 'desk__book', state: 'output-available', output: 'book: word is done' },
    ])
    expect(room.done().filter((line) => line === 'book word')).toHaveLength(1)
    const told = await toldOf(sessionId)
    expect(told.map(({ id }) => id)).toEqual(chat.messages.map(({ id }) => id))
    expect(told.map(textOf).slice(2)).toEqual(['And also this', textOf(chat.lastMessage)])
    expect(toolsOf(told[1])).toMatchObject([{ state: 'output-available' }])
  })

  test('a question is answered after a page was opened anew', async () => {
    const sessionId = await room.open(agent)
    await chatOf(sessionId).sendMessage({ text: 'anew [[call:desk__book {"key":"anew"}]] [[text:Done.]]' })
    const chat = chatOf(sessionId, await toldOf(sessionId))
    await answer(chat, 0, true)
    await untilReady(chat, /Done\.$/)
    expect(chat.messages).toHaveLength(2)
    await expectSameTold(chat, sessionId)
  })

  test('whose connection is lost reads the answer from its beginning', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    const sending = chat.sendMessage({ text: 'lost [[slow:30]]' })
    await untilSaid(chat, '3 ')
    await chat.stop() // this ends the connection, and nothing else
    await sending
    const other = chatOf(sessionId, chat.messages.slice(0, 1))
    await Promise.all([chat.resumeStream(), other.resumeStream()])
    for (const one of [chat, other]) {
      expect(one.messages).toHaveLength(2)
      expect(textOf(one.lastMessage)).toMatch(/^1 2 3 .*29 30 $/)
      await expectSameTold(one, sessionId)
    }
    expect(room.requests('lost [[slow:30]]')).toHaveLength(1)
  })

  test('goes on after web was killed', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    const sending = chat.sendMessage({ text: 'killed [[slow:600]]' })
    await untilSaid(chat, '3 ')
    await killChild(room.box, 'web')
    await sending
    expect(chat.status).toBe('error')
    const heard = textOf(chat.lastMessage).length
    await expect.poll(() => statusOfWeb(), patience).toBe(200)
    const resumed = chat.resumeStream()
    await expect.poll(() => textOf(chat.lastMessage).length, patience).toBeGreaterThan(heard + 30)
    expect((await room.box.call('DELETE', `/sessions/${sessionId}/chat/stream`)).status).toBe(204)
    await resumed
    expect([chat.status, chat.messages.length]).toEqual(['ready', 2])
    const said = textOf(chat.lastMessage).trim().split(' ').map(Number)
    expect(said).toEqual(said.map((_, at) => at + 1))
    await expectSameTold(chat, sessionId)
    expect(room.requests('killed [[slow:600]]')).toHaveLength(1)
  })

  test('has an answer given once more; the first is left', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'before [[text:Before.]]' })
    await chat.sendMessage({ text: 'again [[text:The answer.]]' })
    const first = chat.lastMessage!.id
    await chat.regenerate()
    expect([chat.status, chat.error, textOf(chat.lastMessage)]).toEqual(['ready', undefined, 'The answer.'])
    expect(chat.messages).toHaveLength(4)
    expect(chat.lastMessage?.id).not.toBe(first)
    expect(room.requests('again ')).toHaveLength(2)
    expect(room.requests('again ')[1]?.heard).toHaveLength(2)
    await expectSameTold(chat, sessionId)
    await chat.regenerate({ messageId: chat.messages[1]!.id })
    expect(chat.messages.map(textOf).at(-1)).toBe('Before.')
    expect(chat.messages).toHaveLength(2)
    await expectSameTold(chat, sessionId)
  })

  test('edits what was said: what came after it is left', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    await chat.sendMessage({ text: 'first [[text:One.]]' })
    await chat.sendMessage({ text: 'wrong [[text:Two.]]' })
    const { id } = chat.messages[2]!
    await chat.sendMessage({ text: 'right [[text:Three.]]', messageId: id })
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    expect(chat.messages.map(textOf).at(-1)).toBe('Three.')
    expect(chat.messages).toHaveLength(4)
    const [asked] = room.requests('right ')
    expect(asked?.heard.join()).toContain('first')
    expect(asked?.heard.join()).not.toContain('wrong')
    await expectSameTold(chat, sessionId)
  })

  test('stops a turn: what was said stays, and the next one begins', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    const sending = chat.sendMessage({ text: 'stopped [[slow:300]]' })
    await untilSaid(chat, '3 ')
    expect((await room.box.call('DELETE', `/sessions/${sessionId}/chat/stream`)).status).toBe(204)
    await sending
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
    expect(textOf(chat.lastMessage)).toMatch(/^1 2 3 /)
    await expectSameTold(chat, sessionId)
    await chat.sendMessage({ text: 'next [[text:Here.]]' })
    expect(textOf(chat.lastMessage)).toBe('Here.')
    expect(JSON.stringify(room.requests('next ')[0]?.body)).toContain('1 2 3 ')
  })

  test('shows why a turn failed, and goes on', async () => {
    const chat = chatOf(await room.open(agent))
    await chat.sendMessage({ text: 'refused [[status:400]]' })
    expect(chat.status).toBe('error')
    expect(chat.error?.message).toMatch(/anthropic refused the request \(400\)/)
    await chat.sendMessage({ text: 'well [[text:Better.]]' })
    expect([chat.status, textOf(chat.lastMessage)]).toEqual(['ready', 'Better.'])
  })
})
