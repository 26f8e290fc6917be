import { expect, test } from 'vitest'
import { ChatHistory } from './chat-history.ts'

test('of a step that was cut off and taken again only the last time is told', () => {
  const history = new ChatHistory()
  let seq = 0
  const take = (type: string, payload: object = {}) =>
    history.take({
      seq: ++seq,
      type,
      payload: JSON.stringify(payload),
      executionId: 'e',
      at: new Date(),
    })
  const text = (delta: string) => {
    take('text-start', { id: '0' })
    take('text-delta', { id: '0', delta })
  }
  take('data-message', { text: 'Count' })
  take('start-step')
  text('Well.')
  take('text-end', { id: '0' })
  take('finish-step')
  take('start-step')
  text('One, tw')
  take('data-notice', { text: 'The connection broke' })
  take('tool-input-available', { toolCallId: 'c', toolName: 'read', input: {} })
  take('start-step')
  text('One, two')
  take('finish-step')
  expect(history.end()[1]?.parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'Well.' },
    { type: 'data-notice' },
    { type: 'step-start' },
    { type: 'text', text: 'One, two' },
  ])
})
