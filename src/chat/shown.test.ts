import type { ModelMessage } from 'ai'
import { expect, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import { factsOf } from './catalogue.ts'
import { answeredWith, refusal, turn } from './fixtures/turn.ts'
import { ModelHistory } from './history.ts'

const turns = (count: number, words = 1): ModelMessage[] =>
  Array.from({ length: count }, (_, n): ModelMessage[] => [
    { role: 'user', content: `wish ${n} ${'word '.repeat(words)}` },
    { role: 'assistant', content: `answer ${n}` },
  ]).flat()
const now: ModelMessage = { role: 'user', content: 'and now?' }
const noticesIn = (said: readonly Chunk[]): string[] =>
  said.filter(({ type }) => type === 'data-notice').map(({ data }) => (data as { text: string }).text)

test('what does not fit any more is left out without a summary, unless one is allowed; that is told once', async () => {
  const { shown, said } = await turn([{ calls: [['a', 'read']] }, { text: 'ok' }], {
    history: [...turns(40), now],
  })
  expect(shown[0]).toHaveLength(50) // the instructions, and 49 of the 81
  expect(noticesIn(said)).toEqual([expect.stringContaining('newest part of the conversation')])
})

test('a summary is made once, is told, begins what is shown, and is paid for', async () => {
  const history = [...turns(40), now]
  const { shown, said, usage } = await turn(
    [{ text: 'Ada wants forty things.' }, { calls: [['a', 'read']] }, { text: 'ok' }],
    { history, limits: { summaries: true } },
  )
  expect(shown).toHaveLength(3)
  expect(JSON.stringify(shown[0])).toContain('Person: wish 0')
  expect(JSON.stringify(shown[0]?.[0])).toContain('You sum up')
  const told = said.filter(({ type }) => type === 'data-summary').map(({ data }) => data)
  expect(told).toMatchObject([{ text: 'Ada wants forty things.', tokens: expect.any(Number), keptTurns: 13 }])
  for (const step of shown.slice(1)) {
    expect(step[1]?.role).toBe('user')
    expect(JSON.stringify(step[1])).toMatch(/Ada wants forty things\..*wish 28/)
  }
  expect(usage.at(-1)).toMatchObject({ inputTokens: 30, outputTokens: 15, steps: 2 })
  // Whoever takes the session up has the same.
  const again = retold(history)
  for (const chunk of said) again.take(chunk)
  expect(again.summary).toBe('Ada wants forty things.')
  expect(again.messages[0]).toEqual({ role: 'user', content: 'wish 28 word ' })
})

test('the next summary is made of the last one, and only when there is no room left again', async () => {
  const options = { summary: 'Ada likes tea.', limits: { summaries: true } }
  const few = await turn([{ text: 'ok' }], { ...options, history: [...turns(20), now] })
  expect(few.said.some(({ type }) => type === 'data-summary')).toBe(false)
  expect(JSON.stringify(few.shown[0])).toContain('Ada likes tea.')
  const many = await turn([{ text: 'Tea, and more.' }, { text: 'ok' }], {
    ...options,
    history: [...turns(40), now],
  })
  expect(JSON.stringify(many.shown[0])).toContain('Ada likes tea.')
  expect(JSON.stringify(many.shown[1])).toContain('Tea, and more.')
  expect(JSON.stringify(many.shown[1])).not.toContain('Ada likes tea.')
})

test.each([
  ['is refused', refusal(500), 'has trouble (500)'],
  ['is empty', { text: '' }, 'wrote nothing'],
])('a summary that %s is told, and the turn goes on without', async (_, failing, why) => {
  const { ended, shown, said } = await turn([failing, { calls: [['a', 'read']] }, { text: 'ok' }], {
    history: [...turns(40), now],
    limits: { summaries: true },
  })
  expect(ended).toEqual({ how: 'completed' })
  expect(shown).toHaveLength(3)
  expect(noticesIn(said)).toEqual([
    expect.stringMatching(`could not be summed up: .*${why.replaceAll(/[()]/g, '.')}`),
    expect.stringContaining('newest part'),
  ])
})

test('a word in the middle of the turn does not shift what the summary stands for', async () => {
  const history = [...turns(24), now]
  const words: ModelMessage[][] = [[], [{ role: 'user', content: 'and this' }]]
  const { said } = await turn([{ calls: [['a', 'read']] }, { text: 'Summed up.' }, { text: 'ok' }], {
    history,
    limits: { summaries: true },
    heard: () => words.shift() ?? [],
  })
  const again = retold(history)
  again.takeWord('w', 'and this')
  for (const chunk of said) {
    if (chunk.type === 'data-summary') again.takeDelivery('w', true)
    again.take(chunk)
  }
  const told = said.find(({ type }) => type === 'data-summary')?.['data'] as { messages: number }
  expect(again.messages[0]).toEqual(history[told.messages])
  expect(again.messages.at(-2)).toEqual({ role: 'user', content: 'and this' })
})

test('tools that leave no room are listed in brief; when even these do not fit, that is said', async () => {
  const large = Array.from({ length: 100 }, (_, n) => ({
    name: `tool_${n}`,
    description: 'word '.repeat(200),
    inputSchema: { type: 'object' },
  }))
  const facts = factsOf('compatible', 'small')
  const brief = await turn([{ text: 'ok' }], {
    facts,
    tools: (inBrief) => (inBrief ? large.slice(0, 3) : large),
  })
  expect(brief.ended).toEqual({ how: 'completed' })
  expect(noticesIn(brief.said)).toEqual([expect.stringContaining('3 of 100')])
  const never = await turn([{ text: 'never' }], { facts, tools: () => large })
  expect(never.ended).toMatchObject({ how: 'failed', message: expect.stringContaining('fewer tools') })
  expect(never.shown).toHaveLength(0)
})

test.each([
  [30_000, 'claude-sonnet-4-5', 'MAX_HISTORY_TOKENS'],
  [1_000_000, 'claude-sonnet-4-5', 'larger window than 200000'],
])(
  'a message over the limit of %i is a turn that failed, with the figures and a way out',
  async (most, model, way) => {
    const { ended, shown } = await turn([{ text: 'never' }], {
      facts: factsOf('anthropic', model),
      history: [...turns(2), { role: 'user', content: 'word '.repeat(200_000) }],
      limits: { historyTokens: most },
    })
    expect(ended).toMatchObject({
      how: 'failed',
      message: expect.stringMatching(/takes about 27\d{4} tokens/),
    })
    expect(ended).toMatchObject({ message: expect.stringContaining(way) })
    expect(shown).toHaveLength(0)
    const after = await turn([{ text: 'ok' }], {
      history: [...turns(2), { role: 'user', content: 'word '.repeat(200_000) }, now],
    })
    expect(after.ended).toEqual({ how: 'completed' })
    expect(JSON.stringify(after.shown[0])).toContain('wish 0')
  },
)

test('a model without eyes is told of pictures, and so are people, once', async () => {
  const picture = { type: 'file', data: 'aGk=', mediaType: 'image/png' } as const
  const { shown, said } = await turn([{ calls: [['a', 'read']] }, { text: 'ok' }], {
    history: [{ role: 'user', content: [{ type: 'text', text: 'look' }, picture] }],
    facts: factsOf('compatible', 'blind'),
  })
  expect(JSON.stringify(shown)).not.toContain('aGk=')
  expect(noticesIn(said)).toEqual([expect.stringContaining('cannot see pictures')])
})

test('however much a tool says, the model and the log get no more than a quarter of the room', async () => {
  let most = 0
  const { said, shown } = await turn([{ calls: [['a', 'read']] }, { text: 'ok' }], {
    call: async (_call, { mostText }) => {
      most = mostText
      return answeredWith('y'.repeat(10_000_000))
    },
  })
  expect(most).toBe(22_500)
  const output = said.find(({ type }) => type === 'tool-output-available')?.['output']
  expect(String(output).length).toBeLessThan(24_000)
  expect(String(output)).toContain('This has 10000000 characters')
  expect(JSON.stringify(shown[1]).length).toBeLessThan(26_000)
})

test('an answer that broke off is paid for too, and a turn goes on counting where it was cut off', async () => {
  const dropped = new Error('socket hang up')
  const used = { inputTokens: 1_000, outputTokens: 100, steps: 3, costUsd: 0.01 }
  const { usage } = await turn([{ text: 'half an answer', breaks: dropped }, { text: 'whole' }], { used })
  expect(usage[0]?.inputTokens).toBeGreaterThan(1_000)
  expect(usage[0]).toMatchObject({ steps: 3, outputTokens: 104 })
  expect(usage.at(-1)).toMatchObject({ steps: 4, outputTokens: 109 })
  expect(usage.at(-1)?.costUsd).toBeGreaterThan(0.01)
  const limited = await turn([{ text: 'never' }], { used, limits: { steps: 3 } })
  expect(limited.ended).toMatchObject({ how: 'limited' })
})

test('what it costs is not known where the price is not', async () => {
  const { usage } = await turn([{ text: 'ok' }], { facts: factsOf('compatible', 'unheard-of') })
  expect(usage.at(-1)).toMatchObject({ inputTokens: 10, costUsd: null })
})

/** As it is put together from the log. */
function retold(messages: readonly ModelMessage[]): ModelHistory {
  const history = new ModelHistory()
  for (const { role, content } of messages) {
    const text = typeof content === 'string' ? content : ''
    if (role === 'user') history.takeMessage(text)
    else for (const chunk of saying(text)) history.take(chunk)
  }
  return history
}

const saying = (text: string): Chunk[] => [
  { type: 'start-step' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: text },
  { type: 'text-end', id: 't' },
  { type: 'finish-step' },
]
