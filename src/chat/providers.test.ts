import { expect, test } from 'vitest'
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

test('facts of a model are those of the longest name that it begins with', () => {
  expect(factsOf('openai', 'gpt-5-mini-2026-01-01').price?.output).toBe(2)
  expect(factsOf('openai', 'gpt-5').price?.output).toBe(10)
  expect(factsOf('compatible', 'gpt-5').price).toBeUndefined()
})

test('what was read from a cache costs less, and what has no price has no cost', () => {
  const facts = factsOf('anthropic', 'claude-sonnet-4-5')
  expect(costOf(facts, { input: 1_000_000, output: 0 })).toBe(3)
  expect(costOf(facts, { input: 1_000_000, output: 100_000, cachedInput: 500_000 })).toBeCloseTo(3.15)
  expect(costOf(factsOf('compatible', 'm'), { input: 1, output: 1 })).toBeNull()
})
