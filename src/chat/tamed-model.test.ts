import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import type { ModelProvider } from '#contract/settings.ts'
import { openModel } from './providers.ts'
import { takeStep } from './step.ts'

const read = { name: 'read_file', description: 'Reads', inputSchema: { type: 'object' } }
const plain = /^[\w-]{1,64}$/
const own = /^call_[0-9a-f]{32}$/

test('an id that comes twice in a step, or came before, is another one for the second call, everywhere', async () => {
  const { calls, chunks, idsSaid } = await step('compatible', toolCalls(['c1', 'c1', 'old', 'c2']), ['old'])
  expect(calls.map(({ toolCallId }) => toolCallId)).toEqual([
    'c1',
    expect.stringMatching(plain),
    expect.stringMatching(own),
    'c2',
  ])
  expect(new Set(idsSaid).size).toBe(4)
  expect(calls.map(({ input }) => input)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }])
  expect(idsSaid).toEqual(calls.map(({ toolCallId }) => toolCallId))
  for (const type of ['tool-input-start', 'tool-input-available'])
    expect(chunks.filter((chunk) => chunk.type === type).map(({ toolCallId }) => toolCallId)).toEqual(idsSaid)
})

test.each([
  ['empty', ''],
  ['endless', 'x'.repeat(10_000)],
  ['full of control characters', 'a\u0000\u001b[2J\n'],
  ['one that only some providers take', 'functions.read:0'],
])('an id that is %s is replaced', async (_, id) => {
  const { calls, idsSaid } = await step('compatible', toolCalls([id]))
  expect(calls).toMatchObject([{ toolCallId: expect.stringMatching(plain), input: { n: 0 } }])
  expect(calls[0]?.toolCallId).not.toBe(id)
  expect(idsSaid).toEqual([calls[0]?.toolCallId])
})

test('Google gives calls no ids at all: each gets one', async () => {
  const parts = [1, 2].map((n) => ({ functionCall: { name: 'read_file', args: { n } } }))
  const { calls } = await step('google', [{ candidates: [{ content: { parts }, finishReason: 'STOP' }] }])
  expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2)
  expect(calls.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }])
})

test('Anthropic repeats an id: the pieces of each call go to the one that they belong to', async () => {
  const { calls, chunks } = await step('anthropic', anthropicCalls(['t1', 't1']))
  const [first, second] = calls.map(({ toolCallId }) => toolCallId)
  expect([first, second]).toEqual(['t1', expect.stringMatching(own)])
  const pieces = chunks.filter(({ type }) => type === 'tool-input-delta')
  expect(pieces.map(({ toolCallId }) => toolCallId)).toEqual([first, second])
  expect(calls.map(({ input }) => input)).toEqual([{ n: 0 }, { n: 1 }])
})

test('calls that cannot be made are told as such, in words for the model; the others go on', async () => {
  const { calls, chunks, said } = await step(
    'compatible',
    toolCalls(
      ['a', 'b', 'c', 'd'],
      [
        ['read_file', '{"n":'],
        ['launch rockets\u0000', '{}'],
        ['read_file', '[1,2]'],
        ['read_file', '{"n":3}'],
      ],
    ),
  )
  expect(calls).toEqual([
    {
      toolCallId: 'a',
      toolName: 'read_file',
      input: {},
      fault: 'The arguments cannot be read as JSON: {"n":',
    },
    {
      toolCallId: 'b',
      toolName: 'launch_rockets_',
      input: {},
      fault: 'There is no tool launch_rockets_',
    },
    { toolCallId: 'c', toolName: 'read_file', input: {}, fault: 'The arguments have to be an object' },
    { toolCallId: 'd', toolName: 'read_file', input: { n: 3 } },
  ])
  // What comes of them is told by whoever takes the steps, once.
  expect(chunks.some(({ type }) => type.startsWith('tool-output'))).toBe(false)
  expect(chunks.filter(({ type }) => type === 'tool-input-error')).toMatchObject([
    { toolCallId: 'a', errorText: 'The arguments cannot be read as JSON: {"n":' },
    { toolCallId: 'b', errorText: 'There is no tool launch_rockets_' },
  ])
  // No provider takes anything but an object back.
  for (const part of said) expect(part.input).toBeTypeOf('object')
  expect(said.map(({ input }) => input)).toEqual([{}, {}, {}, { n: 3 }])
})

test('an answer without end is stopped, and told', async () => {
  const flood = Array.from({ length: 6 }, () => completion({ content: 'x'.repeat(1_000_000) }))
  await expect(step('compatible', flood)).rejects.toMatchObject({
    kind: 'endless',
    message: expect.stringContaining('more than an answer can have'),
  })
})

async function step(provider: ModelProvider, events: readonly object[], taken: readonly string[] = []) {
  const url = await answering(provider, events)
  const place = provider === 'compatible' ? `${url}/v1` : url
  const settings = { anthropic: {}, openai: {}, google: {}, compatible: {} }
  const model = await openModel(
    { ...settings, [provider]: { apiKey: 'k', baseUrl: place } },
    { provider, model: 'a-model' },
  )
  const chunks: Chunk[] = []
  const done = await takeStep(
    {
      model,
      provider,
      system: '',
      messages: [{ role: 'user', content: 'go' }],
      tools: [read],
      callIds: new Set(taken),
      maxOutputTokens: 100,
      signal: new AbortController().signal,
    },
    (chunk) => void chunks.push(chunk),
  )
  const said = done.messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((part) => (part.type === 'tool-call' ? [part] : [])),
  )
  return { calls: done.calls, chunks, said, idsSaid: said.map(({ toolCallId }) => toolCallId) }
}

async function answering(provider: ModelProvider, events: readonly object[]): Promise<string> {
  const server = createServer((request, response) => {
    const lines = events.map((event) => {
      const name = provider === 'anthropic' && 'type' in event ? `event: ${String(event.type)}\n` : ''
      return `${name}data: ${JSON.stringify(event)}\n\n`
    })
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(lines.join(''))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const completion = (delta: object, finish_reason: string | null = null) => ({
  id: 'x',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})

/** Several calls, each in one piece, as most compatible servers send them. */
function toolCalls(ids: readonly string[], wanted: readonly [name: string, args: string][] = []): object[] {
  const calls = ids.map((id, index) => {
    const [name, args] = wanted[index] ?? ['read_file', JSON.stringify({ n: index })]
    return completion({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
  })
  return [...calls, completion({}, 'tool_calls')]
}

function anthropicCalls(ids: readonly string[]): object[] {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'a-model', content: [] }
  const usage = { input_tokens: 1, output_tokens: 1 }
  return [
    { type: 'message_start', message: { ...message, usage } },
    ...ids.flatMap((id, index) => [
      {
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id, name: 'read_file', input: {} },
      },
      {
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: JSON.stringify({ n: index }) },
      },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
    { type: 'message_stop' },
  ]
}
