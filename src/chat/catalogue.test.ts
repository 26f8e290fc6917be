import { expect, test } from 'vitest'
import { factsOf, isVariantOf, knownFacts } from './catalogue.ts'

test.each([
  ['gpt-5-2025-08-07', 'gpt-5'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5'],
  ['claude-3-5-haiku-latest', 'claude-3-5-haiku'],
  ['llama3:latest', 'llama3'],
])('%s is %s', (model, name) => {
  expect(isVariantOf(name, model)).toBe(true)
})

test.each([
  ['openai', 'o3-mini-high'],
  ['openai', 'o3-deep-research'],
  ['openai', 'gpt-5-codex'],
  ['openai', 'gpt-5-chat-latest'],
  ['openai', 'gpt-5.9'],
  ['openai', 'gpt-4o-audio-preview'],
  ['google', 'gemini-2.5-flash-image'],
  ['google', 'gemini-2.5-flash-preview-tts'],
] as const)('of %s/%s nothing is known, least of all its price', (provider, model) => {
  expect(knownFacts(provider, model)).toBeUndefined()
  expect(factsOf(provider, model).price).toBeUndefined()
})

test('the longer name counts', () => {
  expect(factsOf('openai', 'o3-mini')).not.toEqual(factsOf('openai', 'o3'))
  expect(knownFacts('openai', 'gpt-5-mini-2025-08-07')?.price?.input).toBe(0.25)
  expect(knownFacts('google', 'gemini-3-pro-preview')?.price?.input).toBe(2)
})
