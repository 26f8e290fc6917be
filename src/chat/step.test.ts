import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import type { ModelProvider } from '#contract/settings.ts'
import { startLoopbackModel } from '../../test/support/loopback-model/server.ts'
import type { LoopbackModel } from '../../test/support/loopback-model/server.ts'
import { ModelFailed } from './failure.ts'
import { openModel } from './providers.ts'
import { takeStep } from './step.ts'
import type { StepDone } from './step.ts'

const read = {
  name: 'read_file',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
let loopback: LoopbackModel
beforeAll(async () => void (loopback = await startLoopbackModel()))
afterAll(() => loopback.close())

const providers = ['anthropic', 'openai', 'google', 'compatible'] as const

test.each(providers)('%s says something, word by word', async (provider) => {
  const { chunks, done } = await ask(provider, '[[text:Hello to you.]]')
  expect(textIn(chunks)).toBe('Hello to you.')
  expect(chunks.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1)
  expect(done).toMatchObject({ finish: 'stop', calls: [] })
  expect(done.usage.output).toBeGreaterThan(0)
})

test.each(providers)('%s wants a tool to be called, and it is not called here', async (provider) => {
  const { chunks, done } = await ask(provider, '[[call:read_file {"path":"a.txt"}]]')
  expect(done.calls).toEqual([
    { toolCallId: expect.any(String), toolName: 'read_file', input: { path: 'a.txt' } },
  ])
  expect(chunks.map(({ type }) => type)).toContain('tool-input-available')
})

test.each(providers)('%s refuses: each status is told as what it means', async (provider) => {
  for (const [status, kind] of [
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [429, 'rate_limited'],
    [500, 'overloaded'],
    [529, 'overloaded'],
  ] as const) {
    const failure = await ask(provider, `[[status:${status} 1]]`).catch((error: unknown) => error)
    expect(failure, `${status}`).toBeInstanceOf(ModelFailed)
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(provider) })
  }
})

test.each(providers)('the connection to %s breaks in the middle', async (provider) => {
  const failure = await ask(provider, '[[drop:1]]').catch((error: unknown) => error)
  expect(failure).toMatchObject({ name: 'ModelFailed', kind: 'dropped', isPassing: true })
})

test('whoever stops it hears nothing more, and not that it failed', async () => {
  const stopping = new AbortController()
  const asked = ask(
    'anthropic',
    '[[slow:1000]]',
    (_, chunk) => {
      if (chunk.type === 'text-delta') stopping.abort(new Error('stopped'))
    },
    stopping.signal,
  )
  await expect(asked).rejects.toThrow('stopped')
})

test('how long to wait is told in every way in which providers say it', async () => {
  const server = await misbehaving((response, asked) => {
    const header = asked === 0 ? { 'retry-after': '7' } : { 'retry-after-ms': '250' }
    response
      .writeHead(429, { 'content-type': 'application/json', ...header })
      .end('{"error":{"message":"slow"}}')
  })
  expect(await failureAt(server)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 7_000 })
  expect(await failureAt(server)).toMatchObject({ kind: 'rate_limited', retryAfterMs: 250 })
})

test.each([
  ['maximum context length is 8192 tokens', 'overflow'],
  ['prompt is too long: 210000 tokens > 200000 maximum', 'overflow'],
  ['max_tokens must be positive', 'bad_request'],
])('a refusal that says “%s” is known as %s', async (message, kind) => {
  const server = await misbehaving((response) => {
    response
      .writeHead(400, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message } }))
  })
  expect(await failureAt(server)).toMatchObject({ kind })
})

test('an answer of garbage is told as such', async () => {
  const server = await misbehaving((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"half\n\ndata: [DONE]\n\n')
  })
  expect(await failureAt(server)).toMatchObject({ kind: 'garbled' })
})

test.each([
  ['an unknown tool', 'launch_rockets', '{}'],
  ['broken JSON', 'read_file', '{"path":'],
])('a call of %s is no failure of the step: it is told with what is wrong', async (_, name, args) => {
  const server = await misbehaving((response) => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name, arguments: args } }
    const piece = (delta: object, finish_reason: string | null = null) =>
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      `${piece({ role: 'assistant', tool_calls: [call] })}${piece({}, 'tool_calls')}data: [DONE]\n\n`,
    )
  })
  const { done } = await ask('compatible', 'go', undefined, undefined, server)
  expect(done.calls).toMatchObject([{ toolCallId: 'c1', toolName: name, fault: expect.any(String) }])
})

interface Asked {
  chunks: Chunk[]
  done: StepDone
}

async function ask(
  provider: ModelProvider,
  prompt: string,
  onChunk?: (chunks: Chunk[], chunk: Chunk) => void,
  signal = new AbortController().signal,
  url = loopback.url,
): Promise<Asked> {
  const place = provider === 'openai' || provider === 'compatible' ? `${url}/v1` : url
  const settings = {
    anthropic: {},
    openai: {},
    google: {},
    compatible: {},
    [provider]: { apiKey: 'k', baseUrl: place },
  }
  const model = await openModel(settings, { provider, model: 'a-model' })
  const chunks: Chunk[] = []
  const done = await takeStep(
    {
      model,
      provider,
      system: 'Be brief.',
      messages: [{ role: 'user', content: `${provider}: ${prompt}` }],
      tools: [read],
      callIds: new Set(),
      maxOutputTokens: 100,
      signal,
    },
    (chunk) => {
      chunks.push(chunk)
      onChunk?.(chunks, chunk)
    },
  )
  return { chunks, done }
}

const failureAt = (url: string) =>
  ask('compatible', 'go', undefined, undefined, url).catch((error: unknown) => error)

const textIn = (chunks: readonly Chunk[]): string =>
  chunks.map((chunk) => (chunk.type === 'text-delta' ? String(chunk['delta']) : '')).join('')

async function misbehaving(answer: (response: ServerResponse, asked: number) => void): Promise<string> {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response, asked++))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
