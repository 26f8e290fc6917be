import { expect, test } from 'vitest'
import { dropCommands } from '#db/commands.ts'
import { commands } from '#db/schema.ts'
import { openChats } from '../../test/support/played-chats.ts'
import { carryOn } from './carry-on.ts'

test('all that came too late for a turn is said in the next one, where its delivery finds it', async () => {
  const chats = await openChats()
  const sessionId = await chats.open()
  const id = await chats.say(sessionId, 'Begin')
  await chats.run(id)
  for (const word of ['One more', 'And more', 'And this']) await chats.say(sessionId, word)
  await chats.answer(id, 'Done.')
  const row = await chats.row(id)
  await chats.pool.transaction(async (tx) => carryOn(tx, chats.handOver, row, await dropCommands(tx, id)))
  const words = ['One more', 'And more', 'And this']
  expect(await chats.conversation(sessionId)).toEqual(['Begin', ...words, 'Done.', ...words])
  const told = (await chats.eventsIn(sessionId)).filter(({ executionId }) => executionId !== id)
  const named = told.map(({ payload }) => payload.commandId).filter((commandId) => commandId !== undefined)
  const waiting = (await chats.pool.db.select().from(commands)).filter(({ deliveredAt }) => !deliveredAt)
  expect(named).toEqual(waiting.map((command) => command.id))
  expect(waiting.map(({ payload }) => payload)).toMatchObject([{ text: 'And more' }, { text: 'And this' }])
})
