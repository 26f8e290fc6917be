import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { generateText } from 'ai'
import { expect, onTestFinished, test } from 'vitest'
import { costOf, factsOf } from './catalogue.ts'
import { ModelUnavailable } from './port.ts'
import { chooseModel, openModel } from './providers.ts'
import type { ModelSettings } from './providers.ts'

const none: ModelSettings = { anthropic: {}, openai: {}, google: {}, compatible: {} }
const withKey = (provider: 'anthropic' | 'openai' | 'google'): ModelSettings => ({
  ...none,
  [provider]: { apiKey: 'k' },
})

test.each([
  ['what is set', { ...withKey('openai'), provider: 'openai', model: 'gpt-5' }, undefined, 'openai gpt-5'],
  ['the first that has a key', withKey('google'), undefined, 'google gemini-2.5-flash'],
  ['a provider, by its name', withKey('anthropic'), 'anthropic', 'anthropic claude-sonnet-4-5'],
  ['a provider, as people call it', none, 'gemini', 'google gemini-2.5-flash'],
  ['a model, by its name', withKey('anthropic'), 'gpt-4o', 'openai gpt-4o'],
  ['both', none, 'google/gemini-2.5-pro', 'google gemini-2.5-pro'],
  ['a model with a slash in its name', none, 'compatible/meta/llama-3', 'compatible meta/llama-3'],
  [
    'another provider than the model that is set is of',
    { ...none, model: 'gpt-5' },
    'claude',
    'anthropic claude-sonnet-4-5',
  ],
  ['a model nobody knows, of whoever answers', withKey('openai'), 'ft:mine', 'openai ft:mine'],
  ['a provider and nothing behind the slash', none, 'claude/', 'anthropic claude-sonnet-4-5'],
  [
    'whose model is set, rather than by whoever has a key',
    { ...none, anthropic: { apiKey: 'k' }, openai: { apiKey: 'k' }, model: 'gpt-5' },
    undefined,
    'openai gpt-5',
  ],
  [
    'the provider that is set, whosever model the name sounds like',
    { ...none, provider: 'compatible', model: 'claude-ours' },
    undefined,
    'compatible claude-ours',
  ],
  ['a whole name that is set', { ...none, model: 'google/gemini-x' }, undefined, 'google gemini-x'],
  [
    'the endpoint that there is, where there is no key for whose model it is',
    { ...none, compatible: { baseUrl: 'http://127.0.0.1:1' } },
    'gpt-oss',
    'compatible gpt-oss',
  ],
] as const)('a model is chosen by %s', (_, settings, wanted, meant) => {
  const { provider, model } = chooseModel(settings, wanted)
  expect(`${provider} ${model}`).toBe(meant)
})

test('without any key it is told which variables there are', () => {
  expect(() => chooseModel(none)).toThrow(/ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY/)
})

test.each([
  ['anthropic', 'ANTHROPIC_API_KEY'],
  ['openai', 'OPENAI_API_KEY'],
  ['google', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  ['compatible', 'COMPATIBLE_BASE_URL'],
] as const)('a missing key of %s is told by the name of its variable', async (provider, variable) => {
  const opening = openModel(none, { provider, model: 'm' })
  await expect(opening).rejects.toThrow(ModelUnavailable)
  await expect(opening).rejects.toThrow(variable)
})

test('a key that cannot be sent is told by its variable, and not by what it is', async () => {
  const settings: ModelSettings = { ...none, anthropic: { apiKey: 'the-key\n' } }
  const opening = openModel(settings, { provider: 'anthropic', model: 'm' })
  await expect(opening).rejects.toThrow(/^(?!.*the-key).*ANTHROPIC_API_KEY has a space, a line break/)
})

test.each(['anthropic', 'openai', 'google', 'compatible'] as const)(
  'a redirect of %s is not followed: whoever it leads to would get the key',
  async (provider) => {
    const heard: string[] = []
    const server = createServer((request, response) => {
      heard.push(request.url ?? '')
      response.writeHead(307, { location: `http://localhost:${port}/elsewhere` }).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const settings = { ...none, [provider]: { apiKey: 'k', baseUrl: `http://127.0.0.1:${port}` } }
    const model = await openModel(settings, { provider, model: 'm' })
    const asking = generateText({ model, prompt: 'Hello', maxRetries: 0 })
    await expect(asking).rejects.toThrow(/wants to be asked at http:\/\/localhost:\d+ instead/)
    expect(heard).toHaveLength(1)
    expect(heard).not.toContain('/elsewhere')
  },
)

test('facts of a model are those of the longest name that it begins with', () => {
  expect(factsOf('openai', 'gpt-5-mini-2026-01-01').price?.output).toBe(2)
  expect(factsOf('openai', 'gpt-5').price?.output).toBe(10)
  expect(factsOf('openai', 'gpt-5.9').price).toBeUndefined()
  expect(factsOf('openai', 'gpt-5-pro-2025-10-06').price?.output).toBe(120)
  expect(factsOf('compatible', 'gpt-5').price).toBeUndefined()
})

test('what was read from a cache costs less, and what has no price has no cost', () => {
  const facts = factsOf('anthropic', 'claude-sonnet-4-5')
  expect(costOf(facts, { input: 1_000_000, output: 0 })).toBe(3)
  expect(costOf(facts, { input: 1_000_000, output: 100_000, cachedInput: 500_000 })).toBeCloseTo(3.15)
  expect(costOf(factsOf('compatible', 'm'), { input: 1, output: 1 })).toBeNull()
})
