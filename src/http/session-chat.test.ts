import { eq } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Principal } from '#contract/access.ts'
import type { NewEvent } from '#contract/event.ts'
import { commands, executions } from '#db/schema.ts'
import { asPrincipal } from '#domain/access.ts'
import { recentConversation } from '#events/recent-conversation.ts'
import { newId } from '#lib/id.ts'
import { again, codeOf, edit, openChats, twoTurns, user, wordsOf } from '../../test/support/played-chats.ts'
import type { Chats } from '../../test/support/played-chats.ts'

const branchesIn = async (chats: Chats, sessionId: string) =>
  (await chats.eventsIn(sessionId)).filter(({ type }) => type === 'data-branch')

describe('answering again', () => {
  test('leaves the last answer and asks the same once more; the person’s message stands once, under its name', async () => {
    const chats = await openChats()
    const { sessionId, turns } = await twoTurns(chats)
    const { status, body } = await chats.ask('POST', `${sessionId}/chat`, again())
    expect([status, body.type]).toEqual([200, 'start'])
    expect(turns).not.toContain(body.messageId)
    expect((await chats.row(body.messageId)).prompt).toBe('Two?')
    await chats.answer(body.messageId, 'Two again.')
    const told = await chats.messages(sessionId)
    expect(wordsOf(told)).toEqual(['One?', 'One.', 'Two?', 'Two again.'])
    expect(told.map(({ id }) => id)).toEqual(['client One?', turns[0], 'client Two?', body.messageId])
    expect(await chats.conversation(sessionId)).toEqual(['One?', 'One.', 'Two?', 'Two again.'])
    expect(await branchesIn(chats, sessionId)).toHaveLength(1)
  })

  test('of an earlier answer leaves everything after it too; without a name it is what the client has last, if that is ours', async () => {
    const chats = await openChats()
    const { sessionId, turns } = await twoTurns(chats)
    const id = await chats.say(sessionId, '', again(turns[0]))
    await chats.answer(id, 'One again.')
    expect(wordsOf(await chats.messages(sessionId))).toEqual(['One?', 'One again.'])
    const next = await chats.say(sessionId, '', again(id))
    await chats.answer(next, 'And again.')
    expect(await chats.conversation(sessionId)).toEqual(['One?', 'And again.'])
    await meansWhatTheClientHasLast(chats)
  })

  async function meansWhatTheClientHasLast(chats: Chats) {
    const { sessionId } = await twoTurns(chats)
    const first = await chats.say(sessionId, '', again(undefined, user('One?', 'client One?')))
    expect((await chats.row(first)).prompt).toBe('One?')
    await chats.answer(first, 'One again.')
    const second = await chats.say(sessionId, '', again(undefined, user('One?', 'unheard of')))
    expect((await chats.row(second)).prompt).toBe('One?')
  }

  test('keeps the files and the task', async () => {
    const chats = await openChats()
    const task = await chats.task()
    const sessionId = await chats.open()
    const file = { type: 'file', url: 'data:text/plain;base64,YQ==', mediaType: 'text/plain', filename: 'a' }
    const message = { ...user('See'), parts: [file, { type: 'text', text: 'See' }] }
    const id = await chats.say(sessionId, '', { messages: [message] })
    await chats.pool.db.update(executions).set({ taskId: task.id }).where(eq(executions.id, id))
    await chats.answer(id, 'Seen.')
    const next = await chats.row(await chats.say(sessionId, '', again(id)))
    expect(next).toMatchObject({ prompt: 'See', taskId: task.id })
    expect(next.files).toEqual([{ url: file.url, mediaType: 'text/plain', name: 'a' }])
  })

  test('of a word in the middle of a turn keeps what was said before it, and nothing stays open', async () => {
    const chats = await openChats()
    const sessionId = await chats.open()
    const id = await chats.say(sessionId, 'Begin')
    await chats.run(id)
    const chunk = (type: string, payload: object): NewEvent => ({ type, payload, executionId: id })
    const call = { toolCallId: 'c', toolName: 'look', input: {} }
    await chats.append(
      sessionId,
      chunk('text-start', { id: 'a' }),
      chunk('text-delta', { id: 'a', delta: 'Begun' }),
      chunk('tool-input-available', call),
    )
    const joined = await chats.say(sessionId, 'And this')
    expect(joined).toMatch(new RegExp(`^${id}\\.\\d+$`))
    await chats.answer(id, ' so')
    const next = await chats.say(sessionId, '', again(joined))
    expect((await chats.row(next)).prompt).toBe('And this')
    await chats.answer(next, 'This.')
    expect(await chats.conversation(sessionId)).toEqual(['Begin', 'Begun', 'And this', 'This.'])
    const [, cut] = await chats.messages(sessionId)
    expect(cut?.parts.map(({ type, state }) => [type, state])).toEqual([
      ['text', 'done'],
      ['dynamic-tool', 'output-error'],
    ])
  })
})

describe('saying something else', () => {
  test('takes the place of the message, under its name, and leaves what came after it', async () => {
    const chats = await openChats()
    const { sessionId } = await twoTurns(chats)
    const id = await chats.say(sessionId, '', edit('client One?', 'Uno?'))
    await chats.answer(id, 'Uno.')
    const told = await chats.messages(sessionId)
    expect(wordsOf(told)).toEqual(['Uno?', 'Uno.'])
    expect(told[0]?.id).toBe('client One?')
    const next = await chats.say(sessionId, '', edit('client One?', 'Un?'))
    await chats.answer(next, 'Un.')
    expect(await chats.conversation(sessionId)).toEqual(['Un?', 'Un.'])
    const more = { messages: [user('Und?', 'client One?')] }
    const same = await chats.say(sessionId, '', more)
    const ids = (await chats.messages(sessionId)).map((message) => message.id)
    expect(ids).toEqual(['client One?', next, expect.stringMatching(`^${same}\\.\\d+$`), same])
    const nameless = await chats.open()
    await chats.answer(await chats.say(nameless, 'One?'), 'One.')
    const [said] = await chats.messages(nameless)
    await chats.answer(await chats.say(nameless, '', edit(said!.id, 'Uno?')), 'Uno.')
    const after = await chats.messages(nameless)
    expect([wordsOf(after), after[0]?.id]).toEqual([['Uno?', 'Uno.'], said!.id])
  })

  test('is about messages of people, in the conversation as it stands', async () => {
    const chats = await openChats()
    const { sessionId, turns } = await twoTurns(chats)
    const refused = (wish: object) => chats.ask('POST', `${sessionId}/chat`, wish)
    const { status, body } = await refused(edit(turns[0]!, 'x'))
    expect([status, body.error.context.fields[0].field]).toEqual([422, 'messageId'])
    expect(body.error.message).toContain('of a person')
    expect(codeOf(await refused(edit('nobody’s', 'x')))).toEqual([422, 'does_not_fit'])
    expect(codeOf(await refused(again('nobody’s')))).toEqual([422, 'does_not_fit'])
    const other = await twoTurns(chats)
    expect(codeOf(await refused(again(other.turns[0])))).toEqual([422, 'does_not_fit'])
    await chats.answer(await chats.say(sessionId, '', again(turns[0])), 'x')
    expect(codeOf(await refused(edit('client Two?', 'x')))).toEqual([422, 'does_not_fit'])
    expect(codeOf(await refused(again(turns[1])))).toEqual([422, 'does_not_fit'])
  })
})

test('what cannot be kept is refused, wherever it stands, and the session goes on', async () => {
  const chats = await openChats()
  const { sessionId } = await twoTurns(chats)
  const before = await chats.eventsIn(sessionId)
  const file = { type: 'file', url: 'a.txt', mediaType: 'text/plain', filename: 'a.txt' }
  const withFile = (changes: object) => ({ ...user('See'), parts: [{ ...file, ...changes }] })
  for (const bad of ['a\0b', 'a\ud800', '\udc00']) {
    const wishes = [
      { messages: [user('Three?', bad)] },
      [user('Three?', bad)],
      { messages: [user('Three?')], messageId: bad },
      { messages: [user('Three?')], trigger: bad },
      { id: bad, messages: [user('Three?')] },
      { messages: [user(bad)] },
      { messages: [withFile({ url: bad })] },
      { messages: [withFile({ url: `https://example.com/${bad}` })] },
      { messages: [withFile({ filename: bad })] },
      { messages: [withFile({ mediaType: `text/${bad}` })] },
    ]
    for (const wish of wishes)
      expect(codeOf(await chats.ask('POST', `${sessionId}/chat`, wish))).toEqual([422, 'does_not_fit'])
    const title = await chats.call('PATCH', `/sessions/${sessionId}`, { title: bad })
    expect(codeOf(title)).toEqual([422, 'does_not_fit'])
  }
  expect(await chats.eventsIn(sessionId)).toEqual(before)
  await chats.answer(await chats.say(sessionId, 'Three?'), 'Three.')
  const { events } = await recentConversation(chats.pool.db, sessionId, 1)
  const types: string[] = []
  for await (const { type } of events) types.push(type)
  expect(types).toContain('data-message')
})

test('nobody goes back while a turn is under way, or in a session that is not theirs, or before anything was said', async () => {
  const chats = await openChats()
  const { sessionId } = await twoTurns(chats)
  const eve = asPrincipal({ id: newId(), name: 'Eve', scopes: ['chat', 'run'] })
  expect(codeOf(await chats.ask('POST', `${sessionId}/chat`, again(), eve))).toEqual([
    404,
    'session_not_found',
  ])
  const both = await Promise.all(
    [again(), edit('client Two?', 'Dos?')].map((wish) => chats.ask('POST', `${sessionId}/chat`, wish)),
  )
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
  for (const wish of [again(), edit('client One?', 'x')])
    expect(codeOf(await chats.ask('POST', `${sessionId}/chat`, wish))).toEqual([409, 'session_busy'])
  expect(await branchesIn(chats, sessionId)).toHaveLength(1)
  expect(codeOf(await chats.ask('POST', `${await chats.open()}/chat`, again()))).toEqual([
    409,
    'cannot_branch',
  ])
})

test('an agent with a history of its own cannot be taken back in it, and is not asked', async () => {
  const chats = await openChats()
  const { id } = await chats.agent({ kind: 'coding', adapter: 'claude', binaryPath: '/usr/bin/claude' })
  await chats.capability(id, { interactionMode: 'prompt', commandTokens: null })
  const sessionId = await chats.open(id)
  await chats.answer(await chats.say(sessionId, 'One?', { messages: [user('One?', 'c')] }), 'One.')
  for (const wish of [again(), edit('c', 'x')]) {
    const refused = await chats.ask('POST', `${sessionId}/chat`, wish)
    expect(codeOf(refused)).toEqual([409, 'cannot_branch'])
    expect(refused.body.error.message).toContain('keeps its own history')
  }
  expect((await chats.messages(sessionId)).length).toBe(2)
})

describe('stopping', () => {
  test('interrupts what is under way, ends what has not begun, and is nothing otherwise', async () => {
    const chats = await openChats()
    const sessionId = await chats.open()
    const stop = (as?: Principal) => chats.ask('DELETE', `${sessionId}/chat/stream`, undefined, as)
    const eve = asPrincipal({ id: newId(), name: 'Eve', scopes: ['chat', 'run'] })
    const mute = asPrincipal({ id: newId(), name: 'Mute', scopes: ['board'] })
    expect([(await stop(eve)).status, (await stop(mute)).status]).toEqual([404, 403])
    expect((await stop()).status).toBe(204)
    const queued = await chats.say(sessionId, 'One?')
    expect((await stop()).status).toBe(204)
    expect((await chats.row(queued)).status).toBe('cancelled')
    const running = await chats.say(sessionId, 'Two?')
    await chats.run(running)
    expect((await stop()).status).toBe(204)
    const told = await chats.pool.db.select({ id: commands.executionId, type: commands.type }).from(commands)
    expect(told).toEqual([{ id: running, type: 'interrupt' }])
  })
})

test('there is nothing to take over, and nothing to hand back', async () => {
  const chats = await openChats()
  const sessionId = await chats.open()
  for (const verb of ['takeover', 'handback']) {
    const refused = await chats.ask('POST', `${sessionId}/${verb}`)
    expect(codeOf(refused)).toEqual([409, 'cannot_take_over'])
    expect(refused.body.error.message).toContain('no program to take over')
  }
})
