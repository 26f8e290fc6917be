import { describe, expect, test } from 'vitest'
import { again, codeOf, edit, openChats, twoTurns, wordsOf } from '../../test/support/played-chats.ts'
import type { Chats } from '../../test/support/played-chats.ts'

describe('a fork of a chat', () => {
  const fork = async (chats: Chats, id: string) => {
    const { status, body } = await chats.call('POST', `/sessions/${id}/fork`)
    expect(status).toBe(201)
    return body.data.id as string
  }

  test('knows what was said until then, as it stood then, and goes its own way', async () => {
    const chats = await openChats()
    const { sessionId, turns } = await twoTurns(chats)
    await chats.answer(await chats.say(sessionId, '', again()), 'Two again.')
    const forked = await fork(chats, sessionId)
    await chats.answer(await chats.say(sessionId, '', again(turns[0])), 'Elsewhere.')
    const known = ['One?', 'One.', 'Two?', 'Two again.']
    expect(wordsOf(await chats.messages(forked))).toEqual(known)
    const id = await chats.say(forked, 'Three?')
    await chats.answer(id, 'Three.')
    expect(await chats.conversation(forked)).toEqual([...known, 'Three?', 'Three.'])
    expect((await chats.row(id)).fork).toBe(false)
    expect(await chats.conversation(await fork(chats, forked))).toHaveLength(6)
    expect(wordsOf(await chats.messages(sessionId))).toEqual(['One?', 'Elsewhere.'])
  })

  test('can go back behind its beginning, and leaves its parent as it is', async () => {
    const chats = await openChats()
    const { sessionId } = await twoTurns(chats)
    const forked = await fork(chats, sessionId)
    await chats.answer(await chats.say(forked, 'Three?'), 'Three.')
    const id = await chats.say(forked, '', edit('client Two?', 'Dos?'))
    expect((await chats.row(id)).sessionId).toBe(forked)
    await chats.answer(id, 'Dos.')
    expect(await chats.conversation(forked)).toEqual(['One?', 'One.', 'Dos?', 'Dos.'])
    expect(wordsOf(await chats.messages(forked))).toEqual(['One?', 'One.', 'Dos?', 'Dos.'])
    expect(await chats.conversation(sessionId)).toEqual(['One?', 'One.', 'Two?', 'Two.'])
  })

  test('needs something to go on from; of a turn under way it has what was said of it, as something that is over', async () => {
    const chats = await openChats()
    const sessionId = await chats.open()
    const executionId = await chats.say(sessionId, 'One?')
    await chats.run(executionId)
    await chats.append(
      sessionId,
      { type: 'text-start', payload: { id: 't' }, executionId },
      { type: 'text-delta', payload: { id: 't', delta: 'On' }, executionId },
    )
    const forked = await fork(chats, sessionId)
    const [, cut] = await chats.messages(forked)
    expect(cut?.parts).toMatchObject([{ type: 'text', text: 'On', state: 'done' }])
    expect(codeOf(await chats.call('POST', `/sessions/${await chats.open()}/fork`))).toEqual([
      409,
      'cannot_fork',
    ])
    const [, live] = await chats.messages(sessionId)
    expect(live?.parts).toMatchObject([{ type: 'text', text: 'On', state: 'streaming' }])
  })
})

test('a fork is asked as its parent was, whatever else its agent could be asked', async () => {
  const chats = await openChats()
  const { sessionId, turns } = await twoTurns(chats)
  await chats.capability(chats.model.id, { interactionMode: 'prompt', commandTokens: null })
  const forked = (await chats.call('POST', `/sessions/${sessionId}/fork`)).body.data.id
  const first = await chats.row(await chats.say(forked, 'Three?'))
  const { capabilityId } = await chats.row(turns[0]!)
  expect([first.capabilityId, first.sessionId, first.prompt]).toEqual([capabilityId, forked, 'Three?'])
})

test('after a fresh start the next turn knows nothing, also in a fork', async () => {
  const chats = await openChats()
  const { sessionId, turns } = await twoTurns(chats)
  const forked = (await chats.call('POST', `/sessions/${sessionId}/fork`)).body.data.id
  for (const id of [sessionId, forked]) {
    expect((await chats.ask('DELETE', `${id}/chat`)).status).toBe(204)
    expect([await chats.messages(id), await chats.conversation(id)]).toEqual([[], []])
    expect(codeOf(await chats.ask('POST', `${id}/chat`, again(turns[0])))).toEqual([422, 'does_not_fit'])
    await chats.answer(await chats.say(id, 'New?'), 'New.')
    expect(await chats.conversation(id)).toEqual(['New?', 'New.'])
  }
})
