import { afterAll, beforeAll, expect, test } from 'vitest'
import { openModel } from '#chat/providers.ts'
import { takeStep } from '#chat/step.ts'
import type { Chunk } from '#contract/agent-event.ts'
import { startLoopbackModel } from './server.ts'
import type { LoopbackModel } from './server.ts'

// What it says is understood by the AI SDK, in each of the ways of saying it.

let loopback: LoopbackModel
beforeAll(async () => void (loopback = await startLoopbackModel({ isChat: true })))
afterAll(() => loopback.close())

const providers = ['anthropic', 'openai', 'google', 'compatible'] as const
type Provider = (typeof providers)[number]

test.each(providers)('%s: several calls at once, each with its own id and arguments', async (provider) => {
  const { done } = await ask(provider, '[[calls:[["read_file",{"path":"a"}],["read_file",{"path":"b"}]]]]')
  expect(done.calls.map(({ input }) => input)).toEqual([{ path: 'a' }, { path: 'b' }])
  expect(new Set(done.calls.map(({ toolCallId }) => toolCallId)).size).toBe(2)
  const many = await ask(provider, '[[many:200 read_file {"path":"#"}]]')
  expect(many.done.calls).toHaveLength(200)
})

test.each(providers)(
  '%s: a call with broken arguments, and one of a tool that nobody has',
  async (provider) => {
    const broken = await ask(provider, '[[broken:read_file {"path":]]')
    expect(broken.done.calls).toMatchObject([{ toolName: 'read_file', fault: expect.any(String) }])
    const unknown = await ask(provider, '[[unknown:launch_rockets {"at":"noon"}]]')
    expect(unknown.done.calls).toMatchObject([{ toolName: 'launch_rockets', fault: expect.any(String) }])
  },
)

test.each(providers)('%s: thinks, and is cut off', async (provider) => {
  const { chunks, done } = await ask(provider, '[[think:Hm.]] [[length:And then]]')
  expect(said(chunks, 'reasoning-delta')).toBe('Hm.')
  expect(said(chunks, 'text-delta')).toBe('And then')
  expect(done.finish).toBe('length')
})

test.each(providers)('%s: garbage, a break after some words, too long, and not now', async (provider) => {
  expect(await failure(provider, '[[garbage:1]]')).toMatchObject({ kind: 'garbled' })
  const chunks: Chunk[] = []
  expect(await failure(provider, '[[drop:1 3]]', chunks)).toMatchObject({ kind: 'dropped' })
  expect(said(chunks, 'text-delta')).toBe('I was about ')
  expect(await failure(provider, '[[overflow:10]]')).toMatchObject({ kind: 'overflow' })
  expect(await failure(provider, '[[status:429 1 7]]')).toMatchObject({
    kind: 'rate_limited',
    retryAfterMs: 7_000,
  })
})

test('also a chat without tools is a conversation, and keys may be refused', async () => {
  const { chunks } = await ask('anthropic', '[[text:Without.]]', [], [])
  expect(said(chunks, 'text-delta')).toBe('Without.')
  loopback.refusedKeys.add('refused')
  expect(await failure('anthropic', '[[text:Never.]]', [], 'refused')).toMatchObject({ kind: 'unauthorized' })
})

const read = {
  name: 'read_file',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

async function ask(
  provider: Provider,
  prompt: string,
  chunks: Chunk[] = [],
  tools = [read],
  apiKey = 'a-key',
) {
  const baseUrl = provider === 'openai' || provider === 'compatible' ? `${loopback.url}/v1` : loopback.url
  const none = { anthropic: {}, openai: {}, google: {}, compatible: {} }
  const model = await openModel(
    { ...none, [provider]: { apiKey, baseUrl } },
    { provider, model: provider === 'openai' ? 'gpt-5-mini' : 'a-model' },
  )
  const done = await takeStep(
    {
      model,
      provider,
      system: 'Be brief.',
      messages: [{ role: 'user', content: `${provider}: ${prompt}` }],
      tools,
      callIds: new Set(),
      maxOutputTokens: 100,
      signal: new AbortController().signal,
    },
    (chunk) => void chunks.push(chunk),
  )
  return { chunks, done }
}

const failure = (provider: Provider, prompt: string, chunks: Chunk[] = [], apiKey?: string) =>
  ask(provider, prompt, chunks, [read], apiKey).catch((error: unknown) => error)

const said = (chunks: readonly Chunk[], type: string): string =>
  chunks.map((chunk) => (chunk.type === type ? String(chunk['delta']) : '')).join('')
