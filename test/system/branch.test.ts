import type { UIMessage } from 'ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openChat, textOf, toolsOf } from '../support/bridge.ts'
import { openChatRoom, patience } from '../support/chat/room.ts'
import type { ChatAgent, ChatRoom } from '../support/chat/room.ts'
import { killChild } from '../support/kill-child.ts'

// Going back in a chat with a model, through the running product: what the model is shown is what is left of the conversation.

let room: ChatRoom
let agent: ChatAgent

beforeAll(async () => {
  room = await openChatRoom()
  agent = await room.agent({ permissionPolicy: 'ask' })
}, 120_000)
afterAll(() => room?.close())

const chatOf = (sessionId: string, messages: UIMessage[] = []) =>
  openChat(
    `${room.box.url}/api/v1/sessions/${sessionId}/chat`,
    { authorization: `Bearer ${room.box.token}` },
    messages,
  )

async function historyOf(sessionId: string): Promise<UIMessage[]> {
  const { status, body } = await room.box.call('GET', `/sessions/${sessionId}/chat`)
  expect(status).toBe(200)
  return body.data
}

/** What people had said when the model was asked last. */
const heardLast = () => room.model.turns.at(-1)?.heard

/** What the model was told that it had said itself. */
function saidByModel(): string[] {
  const { messages } = room.model.turns.at(-1)!.body as {
    messages: { role: string; content: { text: string }[] }[]
  }
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.map(({ text }) => text) : [],
  )
}

const idsAndTexts = (messages: UIMessage[]) => messages.map((message) => [message.id, textOf(message)])

describe('answering again', () => {
  test('asks the model the same, which knows nothing of the answer that was left', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    const [one, two] = ['first [[text:One.]]', 'second [[text:Two.]]']
    await chat.sendMessage({ text: one })
    await chat.sendMessage({ text: two })
    const left = chat.lastMessage!.id
    await chat.regenerate()
    expect([chat.status, chat.error, textOf(chat.lastMessage)]).toEqual(['ready', undefined, 'Two.'])
    expect(chat.lastMessage!.id).not.toBe(left)
    expect(heardLast()).toEqual([one, two])
    expect(saidByModel()).toEqual(['One.'])
    expect(idsAndTexts(await historyOf(sessionId))).toEqual(idsAndTexts(chat.messages))
    await chat.regenerate({ messageId: chat.messages[1]!.id })
    expect(heardLast()).toEqual([one])
    expect(chat.messages).toHaveLength(2)
    expect(idsAndTexts(await historyOf(sessionId))).toEqual(idsAndTexts(chat.messages))
    const again = chatOf(sessionId, await historyOf(sessionId))
    await again.regenerate()
    await again.sendMessage({ text: 'third [[text:Three.]]' })
    expect(heardLast()).toEqual([one, 'third [[text:Three.]]'])
    const types = (await room.events(sessionId)).map(({ type }) => type)
    expect(types.filter((type) => type === 'data-branch')).toHaveLength(3)
  })

  test('does no tool’s work twice that was refused, and asks about what is wanted again', async () => {
    const sessionId = await room.open(agent)
    const chat = chatOf(sessionId)
    const key = `seat-${sessionId.slice(-6)}`
    await chat.sendMessage({ text: `book [[call:desk__book {"key":"${key}"}]] [[text:Well.]]` })
    for (const approved of [false, true]) {
      const asked = toolsOf(chat.lastMessage).find(({ state }) => state === 'approval-requested')
      await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved })
      await expect
        .poll(() => [chat.status, textOf(chat.lastMessage)], patience)
        .toEqual(['ready', expect.stringMatching(/Well\.$/)])
      expect(room.done().filter((line) => line.includes(key))).toHaveLength(approved ? 1 : 0)
      if (!approved) await chat.regenerate()
    }
  })
})

test('a message that was edited takes the place of the one that was said, for the model too', async () => {
  const sessionId = await room.open(agent)
  const chat = chatOf(sessionId)
  await chat.sendMessage({ text: 'first [[text:One.]]' })
  await chat.sendMessage({ text: 'second [[text:Two.]]' })
  const { id } = chat.messages[0]!
  await chat.sendMessage({ text: 'instead [[text:Another.]]', messageId: id })
  expect([chat.error, textOf(chat.lastMessage)]).toEqual([undefined, 'Another.'])
  expect(heardLast()).toEqual(['instead [[text:Another.]]'])
  expect(idsAndTexts(await historyOf(sessionId))).toEqual(idsAndTexts(chat.messages))
  const reloaded = chatOf(sessionId, await historyOf(sessionId))
  await reloaded.sendMessage({ text: 'once more [[text:Third.]]', messageId: id })
  expect(heardLast()).toEqual(['once more [[text:Third.]]'])
})

test('a branch outlives the worker: the turn that is taken up knows what was left', async () => {
  const sessionId = await room.open(agent)
  const chat = chatOf(sessionId)
  await chat.sendMessage({ text: 'first [[text:One.]]' })
  const key = `late-${sessionId.slice(-6)}`
  const text = `instead [[call:desk__book {"key":"${key}"}]] [[text:After.]]`
  await chat.sendMessage({ text, messageId: chat.messages[0]!.id })
  const asked = toolsOf(chat.lastMessage).find(({ state }) => state === 'approval-requested')
  await killChild(room.box, 'worker')
  await chat.addToolApprovalResponse({ id: asked!.approval!.id, approved: true })
  await expect
    .poll(() => [chat.status, textOf(chat.lastMessage)], patience)
    .toEqual(['ready', expect.stringMatching(/After\.$/)])
  expect(heardLast()).toEqual([text])
  expect(room.done().filter((line) => line.includes(key))).toHaveLength(1)
})

test('stopping ends the turn and keeps what was said; a client that only hangs up stops nothing', async () => {
  const sessionId = await room.open(agent)
  const chat = chatOf(sessionId)
  const sending = chat.sendMessage({ text: 'count [[slow:600]]' })
  await expect.poll(() => textOf(chat.messages[1]), patience).toMatch(/\d/)
  await chat.stop()
  await sending
  const path = `/sessions/${sessionId}/chat/stream`
  const { body } = await room.box.call('GET', `/executions?sessionId=${sessionId}`)
  expect(body.data[0].status).toBe('running')
  expect((await room.box.call('DELETE', path)).status).toBe(204)
  await expect.poll(async () => (await room.box.call('GET', path)).status, patience).toBe(204)
  expect((await room.box.call('DELETE', path)).status).toBe(204)
  expect(textOf((await historyOf(sessionId))[1])).toMatch(/\d/)
  await room.expectUsable(agent, sessionId)
})

test('a fork knows what was said, and neither hears of the other after that; a fresh start forgets', async () => {
  const sessionId = await room.open(agent)
  await room.turn(agent, sessionId, 'first [[text:One.]]')
  const { status, body } = await room.box.call('POST', `/sessions/${sessionId}/fork`)
  expect(status).toBe(201)
  const fork = body.data.id as string
  await room.turn(agent, sessionId, 'here [[text:Here.]]')
  await room.turn(agent, fork, 'there [[text:There.]]')
  expect(heardLast()).toEqual(['first [[text:One.]]', 'there [[text:There.]]'])
  expect((await historyOf(fork)).map(textOf)).toEqual([
    'first [[text:One.]]',
    'One.',
    'there [[text:There.]]',
    'There.',
  ])
  const chat = chatOf(fork, await historyOf(fork))
  await chat.sendMessage({ text: 'anew [[text:Anew.]]', messageId: chat.messages[0]!.id })
  expect(heardLast()).toEqual(['anew [[text:Anew.]]'])
  await room.turn(agent, sessionId, 'still [[text:Still.]]')
  expect(heardLast()).toEqual(['first [[text:One.]]', 'here [[text:Here.]]', 'still [[text:Still.]]'])
  expect((await room.box.call('DELETE', `/sessions/${sessionId}/chat`)).status).toBe(204)
  await room.turn(agent, sessionId, 'new [[text:New.]]')
  expect(heardLast()).toEqual(['new [[text:New.]]'])
})
