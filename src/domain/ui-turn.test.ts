import { lastAssistantMessageIsCompleteWithApprovalResponses, readUIMessageStream } from 'ai'
import type { UIMessage, UIMessageChunk } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import { UiMessageBuilder } from './ui-message.ts'
import { UiTurn } from './ui-turn.ts'

/** What the AI SDK itself makes of chunks. Throws where it would. */
async function asTheSdkReads(chunks: Chunk[]): Promise<UIMessage | undefined> {
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of [{ type: 'start', messageId: 'm' }, ...chunks])
        controller.enqueue(JSON.parse(JSON.stringify(chunk)))
      controller.close()
    },
  })
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream, terminateOnError: true })) last = message
  return last
}

function built(chunks: Chunk[]) {
  const builder = new UiMessageBuilder('m')
  for (const chunk of chunks) builder.add(chunk)
  return builder.message
}

const asked = (approvalId: string, toolCallId: string | null) => ({
  approvalId,
  toolCallId,
  tool: 'Bash',
  title: 'Bash: ls',
  input: { command: 'ls' },
  descriptor: { kind: 'tool' },
})
const opened = (toolCallId: string): Chunk => ({
  type: 'tool-input-available',
  toolCallId,
  toolName: 'Bash',
  input: { command: 'ls' },
})
const closed = (toolCallId: string): Chunk => ({ type: 'tool-output-available', toolCallId, output: 'ok' })
const types = (chunks: Chunk[]) => chunks.map(({ type }) => type)

describe('a question', () => {
  test('is shown on its call, and then the stream can pause', () => {
    const turn = new UiTurn()
    turn.take(opened('a'))
    expect(types(turn.ask(asked('q', 'a')))).toEqual(['tool-input-available', 'tool-approval-request'])
    expect(turn.isWaiting).toBe(true)
    expect(types(turn.answer('q', true))).toEqual(['tool-approval-response'])
    expect(turn.isWaiting).toBe(false)
  })

  test('in a step of its own lets nothing more be said of a call in the step before, which no client would find', async () => {
    const turn = new UiTurn()
    const start = { type: 'tool-input-start', toolCallId: 'b', toolName: 'Bash' }
    const chunks = [...turn.take(start), ...turn.ask(asked('q', null)), ...turn.showAll()]
    expect(turn.take({ type: 'tool-input-delta', toolCallId: 'b', inputTextDelta: '{' })).toEqual([])
    await asTheSdkReads([...chunks, ...turn.end('over')])
  })

  test('waits for the other calls of its step, without which a client would never send the answer', () => {
    const turn = new UiTurn()
    turn.take(opened('a'))
    turn.take(opened('b'))
    expect(turn.ask(asked('q', 'a'))).toEqual([])
    expect([turn.isWaiting, turn.holdsBack]).toEqual([false, true])
    expect(types(turn.take(closed('b')))).toEqual([
      'tool-output-available',
      'tool-input-available',
      'tool-approval-request',
    ])
    expect(turn.isWaiting).toBe(true)
  })

  test('becomes a part of its own when they take too long, and when its call was never told', async () => {
    const turn = new UiTurn()
    const chunks = [...turn.take(opened('a')), ...turn.take(opened('b')), ...turn.ask(asked('q', 'a'))]
    chunks.push(...turn.showAll())
    expect(turn.isWaiting).toBe(true)
    const parts = built(chunks).parts
    expect(parts.map((part) => [part.type, part['state']])).toEqual([
      ['dynamic-tool', 'input-available'],
      ['dynamic-tool', 'input-available'],
      ['step-start', undefined],
      ['dynamic-tool', 'approval-requested'],
    ])
    chunks.push(...turn.answer('q', true), ...turn.take(closed('a')), ...turn.end('over'))
    expect(built(chunks).parts.map((part) => part['state'])).toEqual([
      'output-available',
      'output-error',
      undefined,
      'output-available',
    ])
    await asTheSdkReads(chunks)
    const other = new UiTurn()
    expect(types(other.ask(asked('r', 'unheard of')))).toEqual([
      'tool-input-available',
      'tool-approval-request',
    ])
  })

  test('that nobody answered is closed with the turn', () => {
    const turn = new UiTurn()
    const chunks = [...turn.take(opened('a')), ...turn.ask(asked('q', 'a')), ...turn.end('It is over')]
    expect(built(chunks).parts).toMatchObject([
      { state: 'output-error', errorText: 'It is over', approval: { id: 'q', approved: false } },
    ])
  })
})

test('what is open when another message begins is told there with its name: what is asked at once, the rest with its outcome', async () => {
  const turn = new UiTurn()
  for (const chunk of [{ type: 'start-step' }, opened('a'), opened('b'), { type: 'finish-step' }])
    turn.take(chunk)
  turn.ask(asked('q', 'a'))
  turn.ask(asked('r', 'b'))
  turn.answer('r', true)
  const again = turn.beginMessage(7)
  expect(again).toMatchObject([
    { type: 'tool-input-available', toolCallId: 'a', toolName: 'Bash', input: { command: 'ls' } },
    { type: 'tool-approval-request', toolCallId: 'a', approvalId: 'q.7' },
  ])
  expect(turn.isWaiting).toBe(true)
  const message = await asTheSdkReads(again)
  expect(
    lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [answeredByClient(message!)] }),
  ).toBe(true)
  const rest = [...turn.answer('q', true), ...turn.take(closed('b')), ...turn.take(closed('a'))]
  expect(rest[0]).toMatchObject({ type: 'tool-approval-response', approvalId: 'q.7', approved: true })
  expect(rest[1]).toMatchObject({ toolCallId: 'b', toolName: 'Bash', input: { command: 'ls' } })
  const read = await asTheSdkReads([...again, ...rest, ...turn.end('over')])
  expect(read?.parts).toMatchObject([
    { toolCallId: 'a', state: 'output-available' },
    { toolCallId: 'b', state: 'output-available' },
  ])
})

test('a text goes on as another one after a pause, in words that a client understands', async () => {
  const turn = new UiTurn()
  const first = [...turn.take({ type: 'text-delta', id: 't', delta: 'a' }), ...turn.pause()]
  const second = [...turn.take({ type: 'text-delta', id: 't', delta: 'b' }), ...turn.end('over')]
  expect(types([...first, ...second])).toEqual([
    'text-start',
    'text-delta',
    'text-end',
    'text-start',
    'text-delta',
    'text-end',
  ])
  await asTheSdkReads([...first, ...second])
})

test('a step that was cut off is left before it is taken again: nothing of it goes on in the next', () => {
  const turn = new UiTurn()
  const said = [
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'One, tw' },
    opened('call'),
    { type: 'start-step' },
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'One, two' },
  ].map((chunk) => types(turn.take(chunk)))
  expect(said.slice(4)).toEqual([
    ['text-end', 'tool-output-error', 'start-step'],
    ['text-start'],
    ['text-delta'],
  ])
})

test('what carries no sense is left out', () => {
  const turn = new UiTurn()
  for (const nonsense of [
    { type: 'text-delta', id: 7, delta: 'x' },
    { type: 'text-delta', id: 't' },
    { type: 'text-end', id: 'never' },
    { type: 'tool-input-delta', toolCallId: 'never', inputTextDelta: '{' },
    { type: 'tool-input-available', toolCallId: 'a' },
    { type: 'start' },
    { type: 'finish' },
    { type: 'unheard-of', id: 'x' },
    { type: 'data-plan' },
  ])
    expect(turn.take(nonsense)).toEqual([])
})

const id = fc.constantFrom('a', 'b', 'c')
const anything = fc.oneof(
  fc.record({
    type: fc.constantFrom('text-start', 'text-delta', 'text-end', 'reasoning-delta', 'reasoning-end'),
    id,
    delta: fc.constantFrom('x', 'y', ''),
  }),
  fc.record({
    type: fc.constantFrom(
      'tool-input-start',
      'tool-input-delta',
      'tool-input-available',
      'tool-input-error',
      'tool-output-available',
      'tool-output-error',
      'tool-output-denied',
    ),
    toolCallId: id,
    toolName: fc.constantFrom('Bash', 'Read'),
    input: fc.constant({ a: 1 }),
    inputTextDelta: fc.constant('{'),
    output: fc.constant('done'),
    errorText: fc.constant('bad'),
  }),
  fc.record({
    type: fc.constantFrom('start-step', 'finish-step', 'start', 'finish', 'odd', 'error'),
    errorText: id,
  }),
  fc.record({ type: fc.constantFrom('data-plan', 'data-notice', 'data-stall'), data: fc.constant({ x: 1 }) }),
  fc.record({ ask: id, toolCallId: fc.option(id) }),
  fc.record({ answer: id, approved: fc.boolean() }),
  fc.record({ now: fc.constantFrom('pause', 'showAll') }),
)

/** What only the SDK keeps track of, or writes down although there is nothing. */
const compared = (message: UIMessage | undefined) =>
  JSON.parse(JSON.stringify(message?.parts ?? []), (key, value: unknown) =>
    ['rawInput', 'id', 'inputEncoding', 'providerMetadata', 'output', 'errorText', 'input'].includes(key)
      ? undefined
      : value,
  )

test('whatever an agent says, the AI SDK reads it without an error, and as we put it together', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 40 }), async (script) => {
      const turn = new UiTurn()
      const chunks: Chunk[] = []
      for (const [place, line] of script.entries())
        if ('ask' in line) chunks.push(...turn.ask(asked(`${line.ask}${place}`, line.toolCallId)))
        else if ('answer' in line) {
          const open = chunks.findLast(({ type }) => type === 'tool-approval-request')
          chunks.push(...turn.answer(String(open?.['approvalId']), line.approved))
        } else if ('now' in line) chunks.push(...turn[line.now]())
        else chunks.push(...turn.take(line))
      chunks.push(...turn.end('over'), { type: 'data-last', data: 1 })
      const read = await asTheSdkReads(chunks)
      expect(compared(built(chunks) as unknown as UIMessage)).toEqual(compared(read))
      const tools = (read?.parts ?? []).filter((part) => part.type === 'dynamic-tool')
      expect(tools.filter(({ state }) => !state.startsWith('output-'))).toEqual([])
    }),
    { numRuns: 500 },
  )
})

/** As `addToolApprovalResponse` leaves it when everything was answered. */
const answeredByClient = (message: UIMessage): UIMessage => ({
  ...message,
  parts: message.parts.map((part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
      : part,
  ),
})

const namesIn = (messages: UIMessage[]) =>
  messages.flatMap(({ parts }) =>
    parts.flatMap((part) =>
      part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval.id] : [],
    ),
  )

test('whenever the stream pauses for a question, the AI SDK sends the answer by itself', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anything, { maxLength: 40 }), async (script) => {
      const turn = new UiTurn()
      const chunks: Chunk[] = []
      for (const [place, line] of script.entries()) {
        if ('ask' in line) chunks.push(...turn.ask(asked(`${line.ask}${place}`, line.toolCallId)))
        else if (!('answer' in line) && !('now' in line)) chunks.push(...turn.take(line))
        if (turn.isWaiting) break
      }
      chunks.push(...turn.showAll())
      if (!turn.isWaiting) return
      const message = await asTheSdkReads(chunks)
      const messages = [answeredByClient(message!)]
      expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages })).toBe(true)
      const next = await asTheSdkReads(turn.beginMessage(100))
      const both = [message!, answeredByClient(next!)]
      expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: both })).toBe(true)
      expect(namesIn([message!]).filter((name) => namesIn([next!]).includes(name))).toEqual([])
    }),
    { numRuns: 500 },
  )
})
