import { expect, it } from 'vitest'
import type { ResultFrame } from './frame.ts'
import { SentMessages } from './sent-messages.ts'

const result = (...ids: string[]): ResultFrame => ({
  type: 'result',
  is_error: false,
  ...(ids.length > 0 && { user_message_uuids: ids }),
})
const sent = (...ids: string[]) => {
  const messages = new SentMessages()
  for (const id of ids) messages.add(id)
  return messages
}

it('is done when every message is answered, by however many results', () => {
  const messages = sent('a', 'b', 'c')
  messages.answer(result('a', 'b'))
  expect(messages.areDone).toBe(false)
  messages.answer(result('c'))
  expect(messages.areDone).toBe(true)
})

it('takes no result of something else for an answer', () => {
  const messages = sent('a')
  messages.note('a', 'queued')
  messages.answer(result())
  expect(messages.areDone).toBe(false)
})

it('counts results where nothing is told of messages', () => {
  const messages = sent('a', 'b')
  messages.answer(result())
  expect(messages.areDone).toBe(false)
  messages.answer(result())
  expect(messages.areDone).toBe(true)
})

it('waits for the result of what was begun, and for none of what was taken back', () => {
  const messages = sent('a', 'b')
  messages.note('a', 'started')
  expect(messages.waiting).toEqual(['b'])
  messages.note('b', 'cancelled')
  messages.note('a', 'completed')
  expect(messages.areDone).toBe(false)
  messages.answer(result('a'))
  expect(messages.areDone).toBe(true)
})
