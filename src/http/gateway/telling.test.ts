import { expect, test } from 'vitest'
import { ChatTelling } from './telling.ts'
import type { Told } from './telling.ts'

interface Said {
  type: string
  [field: string]: unknown
}

const tellingOf = (telling: ChatTelling, ...said: Said[]): (Told | undefined)[] =>
  said.map(({ type, ...payload }) => telling.take({ type, payload: JSON.stringify(payload) }))

const call = (toolCallId: string): Said => ({
  type: 'tool-input-available',
  toolCallId,
  toolName: toolCallId,
})
const asked = (id: string, position: number, total: number, more: object = {}): Said => ({
  type: 'tool-approval-request',
  approvalId: `approval ${id}`,
  toolCallId: id,
  tool: `desk.${id}`,
  input: { of: id },
  position,
  total,
  ...more,
})
const answered = (id: string, status = 'granted', reason?: string): Said => ({
  type: 'tool-approval-response',
  approvalId: `approval ${id}`,
  status,
  reason,
})
const output = (toolCallId: string): Said => ({ type: 'tool-output-available', toolCallId, output: 'done' })
const due = (id: string, queuePosition: number, totalInQueue: number) => ({
  name: 'tool:approval_required',
  body: { name: `desk.${id}`, args: { of: id }, callId: `approval ${id}`, queuePosition, totalInQueue },
})

test('the calls of a step are asked one by one, wherever they are answered', () => {
  const telling = new ChatTelling()
  const calls = ['a', 'b', 'c', 'd'].map(call)
  expect(tellingOf(telling, ...calls)).toEqual([undefined, undefined, undefined, undefined])
  expect(tellingOf(telling, asked('a', 1, 4), asked('b', 2, 4), asked('c', 3, 4), asked('d', 4, 4))).toEqual([
    due('a', 1, 4),
    undefined,
    undefined,
    undefined,
  ])
  // One that is not due yet is answered elsewhere.
  expect(tellingOf(telling, answered('b', 'refused', 'not today'))).toEqual([undefined])
  expect(telling.due).toEqual(due('a', 1, 4))
  expect(tellingOf(telling, answered('a'))).toEqual([due('c', 3, 4)])
  expect(tellingOf(telling, output('a'))).toEqual([
    { name: 'tool:output', body: { callId: 'approval a', name: 'desk.a', output: 'done' } },
  ])
  expect(tellingOf(telling, answered('c', 'refused'))).toEqual([due('d', 4, 4)])
  expect(tellingOf(telling, answered('d'))).toEqual([undefined])
  expect(telling.due).toBeUndefined()
  expect(
    tellingOf(
      telling,
      { type: 'tool-output-denied', toolCallId: 'b' },
      { type: 'tool-output-denied', toolCallId: 'c' },
      { type: 'tool-output-error', toolCallId: 'd', errorText: 'It broke' },
    ),
  ).toEqual([
    { name: 'agent:error', body: { message: 'desk.b was refused: not today', callId: 'approval b' } },
    { name: 'agent:error', body: { message: 'desk.c was refused', callId: 'approval c' } },
    { name: 'agent:error', body: { message: 'It broke', callId: 'approval d' } },
  ])
})

test('a rule answers without anybody being shown the question, and a call that nobody is asked about has its own id', () => {
  const telling = new ChatTelling()
  const byRule = [call('a'), asked('a', 1, 2, { isAnswered: true }), answered('a'), output('a')]
  expect(tellingOf(telling, ...byRule, call('b'), output('b'), output('b'))).toEqual([
    undefined,
    undefined,
    undefined,
    { name: 'tool:output', body: { callId: 'approval a', name: 'desk.a', output: 'done' } },
    undefined,
    { name: 'tool:output', body: { callId: 'b', name: 'b', output: 'done' } },
    undefined,
  ])
})

test('questions that go with their turn show no others', () => {
  const telling = new ChatTelling()
  tellingOf(telling, call('a'), call('b'), asked('a', 1, 2), asked('b', 2, 2))
  const over = { type: 'data-status', status: 'cancelled' }
  expect(tellingOf(telling, answered('a', 'expired'), answered('b', 'expired'), over)).toEqual([
    undefined,
    undefined,
    { name: 'agent:done', body: { status: 'cancelled' } },
  ])
})

test('one that was withdrawn makes room for the next as soon as anything else is told', () => {
  const telling = new ChatTelling()
  tellingOf(telling, call('a'), call('b'), asked('a', 1, 2), asked('b', 2, 2))
  const denied = { type: 'tool-output-denied', toolCallId: 'a' }
  const told = tellingOf(telling, answered('a', 'expired', 'Nobody answered in time'), denied, {
    type: 'data-usage',
  })
  expect(told).toEqual([
    undefined,
    {
      name: 'agent:error',
      body: { message: 'desk.a was refused: Nobody answered in time', callId: 'approval a' },
    },
    due('b', 2, 2),
  ])
})

test('a text is told piece by piece and as a whole; one that was cut off is not part of the next', () => {
  const telling = new ChatTelling()
  const delta = (text: string): Said => ({ type: 'text-delta', id: '0', delta: text })
  const start = [{ type: 'start-step' }, { type: 'text-start', id: '0' }]
  tellingOf(telling, ...start, delta('Half a sen'))
  const whole = tellingOf(telling, ...start, delta('All of '), delta('it'), { type: 'text-end', id: '0' })
  expect(whole.filter(Boolean)).toEqual([
    { name: 'agent:delta', body: { text: 'All of ' } },
    { name: 'agent:delta', body: { text: 'it' } },
    { name: 'agent:message', body: { text: 'All of it' } },
  ])
})

test('notices are told, and how a turn ended', () => {
  const telling = new ChatTelling()
  const cutOff = { type: 'data-notice', text: 'The answer was cut off. MAX_OUTPUT_TOKENS allows longer ones' }
  expect(
    tellingOf(
      telling,
      { type: 'data-status', status: 'running' },
      cutOff,
      { type: 'data-status', status: 'failed', error: 'The key is not accepted' },
      { type: 'data-status', status: 'succeeded' },
    ),
  ).toEqual([
    undefined,
    { name: 'agent:notice', body: { text: cutOff.text } },
    { name: 'agent:error', body: { message: 'The key is not accepted', status: 'failed' } },
    { name: 'agent:done', body: { status: 'succeeded' } },
  ])
})
