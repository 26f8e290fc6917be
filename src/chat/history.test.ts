import { expect, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import { ModelHistory } from './history.ts'

const said = (text: string): Chunk[] => [
  { type: 'start-step' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: text },
  { type: 'text-end', id: 't' },
  { type: 'finish-step' },
]
const wanted = (...ids: string[]): Chunk[] => [
  { type: 'start-step' },
  ...ids.map((toolCallId) => ({
    type: 'tool-input-available',
    toolCallId,
    toolName: 'read',
    input: { id: toolCallId },
  })),
  { type: 'finish-step' },
]
const gave = (toolCallId: string, output: unknown): Chunk => ({
  type: 'tool-output-available',
  toolCallId,
  output,
})

test('a conversation with a tool is put together as a model wants it', () => {
  const history = historyOf(
    'hello',
    ...wanted('a', 'b'),
    gave('b', { n: 2 }),
    gave('a', 'one'),
    ...said('done'),
  )
  expect(history.messages).toMatchObject([
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: [{ toolCallId: 'a' }, { toolCallId: 'b' }] },
    { role: 'tool', content: [{ toolCallId: 'a' }, { toolCallId: 'b', output: { value: '{"n":2}' } }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
  ])
  expect(history.open).toEqual([])
})

test('a step that was never finished never was', () => {
  const cut = said('I was about to').slice(0, -2)
  const history = historyOf('hello', ...cut, ...said('Hello'))
  expect(history.messages).toHaveLength(2)
  expect(JSON.stringify(history.messages)).not.toContain('about to')
})

test('calls without an outcome are open, and it is known which of them were begun', () => {
  const history = historyOf(
    'go',
    ...wanted('a', 'b', 'c'),
    { type: 'data-call', data: { toolCallId: 'b' } },
    gave('a', 1),
  )
  expect(history.open).toMatchObject([
    { toolCallId: 'b', place: { position: 2, total: 3 } },
    { toolCallId: 'c', place: { position: 3, total: 3 } },
  ])
  expect([history.hasBegun('b'), history.hasBegun('c')]).toEqual([true, false])
})

test('refused, failed and misunderstood calls are told to the model', () => {
  const broken: Chunk = {
    type: 'tool-input-error',
    toolCallId: 'x',
    toolName: 'y',
    input: '{',
    errorText: 'broken',
  }
  const history = historyOf('go', { type: 'start-step' }, broken, { type: 'finish-step' })
  expect(history.open).toMatchObject([{ toolCallId: 'x', toolName: 'y', input: {}, fault: 'broken' }])
  history.take({ type: 'tool-output-error', toolCallId: 'x', errorText: 'broken' })
  for (const chunk of wanted('d')) history.take(chunk)
  history.take({ type: 'tool-output-denied', toolCallId: 'd', reason: 'not today' })
  expect(history.messages.filter(({ role }) => role === 'tool')).toMatchObject([
    { content: [{ output: { type: 'error-text', value: 'broken' } }] },
    { content: [{ output: { type: 'execution-denied', reason: 'not today' } }] },
  ])
})

test('whoever goes on after a turn that was ended leaves no call without an answer', () => {
  const history = historyOf('go', ...wanted('a', 'b'), { type: 'data-call', data: { toolCallId: 'a' } })
  history.takeMessage('never mind')
  expect(history.open).toEqual([])
  expect(history.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(history.messages[2]?.content).toMatchObject([
    { toolCallId: 'a', output: { value: expect.stringContaining('not known') } },
    { toolCallId: 'b', output: { value: expect.stringContaining('was not done') } },
  ])
})

test('no id of a call is forgotten, whatever is summed up', () => {
  const history = historyOf('go', ...wanted('a'), gave('a', 1))
  history.take({ type: 'start-step' })
  history.take({ type: 'tool-input-available', toolCallId: 'cut off', toolName: 'read', input: {} })
  history.takeMessage('and?')
  history.take({ type: 'data-summary', data: { text: 'It went.', keptTurns: 1 } })
  expect(history.messages).toHaveLength(1)
  expect([...history.callIds]).toEqual(['a', 'cut off'])
})

test('a word in the middle of a turn is heard by the next step, once it was delivered, and tears nothing apart', () => {
  const history = historyOf('go', ...wanted('a'))
  history.takeWord('w1', 'and b')
  history.takeWord('w2', 'never delivered')
  history.takeDelivery('w1', true)
  expect(history.open).toHaveLength(1)
  history.take(gave('a', 1))
  for (const chunk of said('a and b')) history.take(chunk)
  expect(history.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user', 'assistant'])
  expect(history.heard()).toEqual([])
  history.takeDelivery('w2', false)
  expect(history.heard()).toEqual([])
})

test.each(['reasoning-delta', 'reasoning-end'])(
  'what a provider signed (%s) stays with what it thought',
  (type) => {
    const signature = { anthropic: { signature: 's' } }
    const history = historyOf(
      'go',
      { type: 'start-step' },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'hm' },
      { type, id: 'r', delta: '', providerMetadata: signature },
      { type: 'reasoning-end', id: 'r' },
      { type: 'finish-step' },
    )
    expect(history.messages[1]).toMatchObject({
      content: [{ type: 'reasoning', text: 'hm', providerOptions: signature }],
    })
  },
)

test('files that were brought along are shown, those of the workspace are named', () => {
  const history = new ModelHistory()
  history.takeMessage('look', [
    { url: 'data:image/png;base64,AAAA', mediaType: 'image/png', name: 'a.png' },
    { url: 'src/a.ts', mediaType: 'text/plain' },
  ])
  expect(history.messages[0]).toEqual({
    role: 'user',
    content: [
      { type: 'file', data: 'AAAA', mediaType: 'image/png', filename: 'a.png' },
      { type: 'text', text: '[Attached: src/a.ts, a file in the workspace]' },
      { type: 'text', text: 'look' },
    ],
  })
})

function historyOf(message: string, ...chunks: Chunk[]): ModelHistory {
  const history = new ModelHistory()
  history.takeMessage(message)
  for (const chunk of chunks) history.take(chunk)
  return history
}
