import type { ModelMessage } from 'ai'
import { expect, test } from 'vitest'
import { factsOf } from './catalogue.ts'
import { ModelFailed } from './failure.ts'
import { refusal, turn } from './fixtures/turn.ts'

const noticesIn = (said: readonly { type: string; data?: unknown }[]): string[] =>
  said.filter(({ type }) => type === 'data-notice').map(({ data }) => (data as { text: string }).text)

const past = (turns: number, words: string): ModelMessage[] => [
  ...Array.from({ length: turns }, (): ModelMessage[] => [
    { role: 'user', content: words },
    { role: 'assistant', content: 'ok' },
  ]).flat(),
  { role: 'user', content: 'and now?' },
]

test('garbage is asked for again, once', async () => {
  const garbled = () => new ModelFailed('garbled', 'mock answered with nothing at all')
  const fine = await turn([garbled(), { text: 'ok' }])
  expect(fine.ended).toEqual({ how: 'completed' })
  expect(noticesIn(fine.said)).toEqual(['mock answered with nothing at all. It is asked again'])
  expect((await turn([garbled(), garbled(), { text: 'never' }])).ended).toMatchObject({ how: 'failed' })
})

test('when it is asked again is told', async () => {
  const { said } = await turn([refusal(429, { 'retry-after-ms': '1001' }), { text: 'ok' }])
  expect(noticesIn(said)).toEqual([expect.stringMatching(/\(429\).*It is asked again in 2 s$/)])
})

test('a wait that is too long ends the turn at once, with how long', async () => {
  const { ended, shown } = await turn([refusal(429, { 'retry-after': '3600' }), { text: 'never' }])
  expect(ended).toMatchObject({
    how: 'failed',
    message: expect.stringContaining('in 60 min at the earliest'),
  })
  expect(shown).toHaveLength(1)
})

test('why less is shown is told by the name of what limits it, and nothing where all is shown', async () => {
  const toldOf = async (history: ModelMessage[], options: object = {}) =>
    noticesIn((await turn([{ text: 'ok' }], { history, ...options })).said)
  expect(await toldOf(past(3, 'hello'))).toEqual([])
  expect(await toldOf(past(30, 'hello'))).toEqual([expect.stringContaining('MAX_HISTORY_MESSAGES is 50')])
  expect(await toldOf(past(20, 'word '.repeat(2_000)), { limits: { historyTokens: 3_000 } })).toEqual([
    expect.stringContaining('MAX_HISTORY_TOKENS is 3000'),
  ])
  const facts = { ...factsOf('anthropic', 'claude-sonnet-4-5'), window: 9_000 }
  expect(await toldOf(past(20, 'word '.repeat(2_000)), { facts })).toEqual([
    expect.stringContaining('window of 9000 tokens'),
  ])
})

test('a budget in dollars that cannot be held is told, once in a turn', async () => {
  const unknown = { facts: factsOf('compatible', 'unheard-of'), limits: { costUsd: 1 } }
  const { said } = await turn([{ calls: [['a', 'read']] }, { text: 'ok' }], unknown)
  expect(noticesIn(said)).toEqual([expect.stringContaining('budget of $1.00')])
  expect(noticesIn((await turn([{ text: 'ok' }], { limits: { costUsd: 1 } })).said)).toEqual([])
})

test.each(['gpt-3.5-turbo', 'o3-mini', 'o3-mini-2025-01-31', 'o1-mini', 'gpt-4'])(
  '%s has no eyes',
  (model) => {
    expect(factsOf('openai', model)).toMatchObject({ seesImages: false })
  },
)
