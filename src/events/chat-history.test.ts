import { expect, test } from 'vitest'
import { ChatHistory } from './chat-history.ts'

function openHistory() {
  const history = new ChatHistory()
  let seq = 0
  const take = (type: string, payload: object = {}) =>
    history.take({ seq: ++seq, type, payload: JSON.stringify(payload), executionId: 'e', at: new Date() })
  return { history, take }
}

const shownIn = (history: ChatHistory) =>
  history
    .end()
    .map(({ id, role, parts }) => [
      id,
      role,
      ...parts.filter(({ type }) => type !== 'step-start').map((part) => part['text'] ?? part['state']),
    ])

test('what is said in the middle of a turn stands in its place, and what comes after it is a message of its own', () => {
  const { history, take } = openHistory()
  take('data-message', { text: 'Begin' })
  take('data-message', { text: 'At once', commandId: 'c0' })
  take('start-step')
  take('text-delta', { id: '0', delta: 'One, ' })
  take('tool-input-available', { toolCallId: 'c', toolName: 'look', input: {} })
  take('data-message', { text: 'And also this', commandId: 'c1', messageId: 'mine' })
  take('text-delta', { id: '0', delta: 'two' })
  take('tool-output-available', { toolCallId: 'c', output: 'seen' })
  take('finish-step')
  take('data-message', { text: 'Too late', commandId: 'c2' })
  take('data-status', { status: 'succeeded' })
  expect(shownIn(history)).toEqual([
    ['e.1', 'user', 'Begin'],
    ['e.2.said', 'user', 'At once'],
    ['e.2', 'assistant', 'One, ', 'output-available'],
    ['mine', 'user', 'And also this'],
    ['e.6', 'assistant', 'two'],
    ['e.10.said', 'user', 'Too late'],
  ])
})

test('what waits for an answer is asked at the end, after what was said since', () => {
  const { history, take } = openHistory()
  take('data-message', { text: 'Begin' })
  take('start-step')
  take('tool-input-available', { toolCallId: 'c', toolName: 'book', input: { key: 1 } })
  take('finish-step')
  const asked = { toolCallId: 'c', tool: 'book', title: 'book', input: { key: 1 } }
  take('tool-approval-request', { approvalId: 'q', ...asked })
  take('data-message', { text: 'And also this', commandId: 'c1' })
  const told = history.end()
  expect(told).toHaveLength(4)
  expect(told[1]?.parts.at(-1)).toMatchObject({ state: 'approval-requested', approval: { id: 'q' } })
  expect(told[3]).toMatchObject({
    id: 'e.6',
    metadata: { executionId: 'e', from: 6, seq: 6 },
    parts: [{ toolName: 'book', input: { key: 1 }, state: 'approval-requested', approval: { id: 'q.6' } }],
  })
})

test('a step that was cut off is forgotten on both sides of what was said in it', () => {
  const { history, take } = openHistory()
  take('data-message', { text: 'Begin' })
  take('start-step')
  take('text-delta', { id: '0', delta: 'One, ' })
  take('data-message', { text: 'Word', commandId: 'c1' })
  take('text-delta', { id: '0', delta: 'tw' })
  take('start-step')
  take('text-delta', { id: '0', delta: 'One, two' })
  expect(shownIn(history)).toEqual([
    ['e.1', 'user', 'Begin'],
    ['e.4.said', 'user', 'Word'],
    ['e.4', 'assistant', 'One, two'],
  ])
})

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
