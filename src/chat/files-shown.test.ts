import type { ModelMessage } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Chunk } from '#contract/agent-event.ts'
import { startLoopbackModel } from '../../test/support/loopback-model/server.ts'
import type { LoopbackModel } from '../../test/support/loopback-model/server.ts'
import { factsOf } from './catalogue.ts'
import { refusal, turn } from './fixtures/turn.ts'
import { userMessage } from './history.ts'
import { openModel } from './providers.ts'
import { roughly } from './tokens.ts'
import { takeTurn } from './turn.ts'

let loopback: LoopbackModel
beforeAll(async () => void (loopback = await startLoopbackModel()))
afterAll(() => loopback.close())

const file = (mediaType: string, bytes: Uint8Array | string, name = 'a.file') => ({
  url: `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`,
  mediaType,
  name,
})
const zip = file('application/zip', Uint8Array.of(80, 75, 3, 4, 0, 0, 255), 'all.zip')
const notes = file('text/plain', 'Grüße aus dem Stellwerk', 'notes.txt')
const picture = (bytes = 30) => file('image/png', new Uint8Array(bytes).fill(7), 'plan.png')
const noticesIn = (said: readonly Chunk[]): string[] =>
  said.filter(({ type }) => type === 'data-notice').map(({ data }) => (data as { text: string }).text)

test.each(['anthropic', 'openai', 'google', 'compatible'] as const)(
  'no file that %s does not take ends the conversation',
  async (provider) => {
    for (const attached of [
      zip,
      notes,
      file('audio/wav', Uint8Array.of(82, 73, 70, 70, 0)),
      file('application/json', '{"a":1}'),
      file('application/octet-stream', Uint8Array.of(0, 1, 2, 255)),
      file('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>'),
      file('image/tiff', Uint8Array.of(73, 73, 42, 0)),
      file('text/plain', ''),
      picture(),
    ]) {
      const { ended, said } = await turnWith(provider, userMessage('[[text:Fine.]]', [attached]))
      expect(ended, `${provider} ${attached.mediaType}`).toEqual({ how: 'completed' })
      expect(JSON.stringify(said)).toContain('Fine.')
    }
  },
)

test('texts are shown as their words, up to a bound, others by what they are; people are told once', async () => {
  const long = file('text/csv', 'a,b,c\n'.repeat(100_000), 'long.csv')
  const { shown, said } = await turn([{ calls: [['a', 'read']] }, { text: 'ok' }], {
    history: [userMessage('look', [notes, zip, long])],
  })
  const seen = JSON.stringify(shown[0])
  expect(seen).toContain('Grüße aus dem Stellwerk')
  expect(seen).toContain('a file, text/plain (notes.txt)')
  expect(seen).toContain('cannot read: application/zip (all.zip)')
  expect(seen).toContain('the first 22500 characters of a longer file, text/csv (long.csv)')
  expect(seen.length).toBeLessThan(30_000)
  expect(noticesIn(said)).toEqual([
    expect.stringContaining('takes no files of the type application/zip'),
    expect.stringContaining('first 22500 characters'),
  ])
})

test.each([
  ['it was too much', 413],
  ['it was refused', 400],
])('pictures of earlier turns are not shown again after %s (%i)', async (_, status) => {
  const { ended, shown, said } = await turn([refusal(status), { text: 'ok' }], {
    history: [
      userMessage('the old one', [picture()]),
      { role: 'assistant', content: 'ok' },
      userMessage('the new one', [file('image/png', new Uint8Array(60).fill(9), 'new.png')]),
    ],
  })
  expect(ended).toEqual({ how: 'completed' })
  expect(namesOf(shown[0])).toEqual(['plan.png', 'new.png'])
  expect(namesOf(shown[1])).toEqual(['new.png'])
  expect(JSON.stringify(shown[1])).toContain('not shown any more: image/png (plan.png)')
  expect(noticesIn(said)[0]).toContain('asked again with less of the past')
})

test('what is refused without old files is not asked again', async () => {
  const history = [userMessage('look', [picture()])]
  const { ended, shown } = await turn([refusal(400), { text: 'never' }], { history })
  expect(ended).toMatchObject({ how: 'failed' })
  expect(shown).toHaveLength(1)
})

test('of many large pictures the newest are shown, and more of them never', async () => {
  const history = Array.from({ length: 6 }, (_, n): ModelMessage[] => [
    userMessage(`picture ${n}`, [
      { ...file('image/png', new Uint8Array(3_500_000).fill(7)), name: `${n}.png` },
    ]),
    { role: 'assistant', content: 'ok' },
  ]).flat()
  const { shown } = await turn([{ text: 'ok' }], {
    history: [...history, { role: 'user', content: 'and now?' }],
    limits: { historyTokens: 100_000 },
  })
  expect(namesOf(shown[0])).toEqual(['3.png', '4.png', '5.png'])
})

test('a picture for which there is no room is left out before anything is dropped', async () => {
  const history = [
    userMessage(
      'my name is Ada',
      Array.from({ length: 6 }, () => picture()),
    ),
    { role: 'assistant' as const, content: 'hello' },
    userMessage('what is my name?', []),
  ]
  const { shown } = await turn([{ text: 'Ada' }], { history, limits: { historyTokens: 5_000 } })
  expect(namesOf(shown[0])).toEqual([])
  expect(JSON.stringify(shown[0])).toContain('my name is Ada')
})

function namesOf(messages: readonly ModelMessage[] = []): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => (part.type === 'file' ? [part.filename ?? ''] : [])),
  )
}

async function turnWith(provider: 'anthropic' | 'openai' | 'google' | 'compatible', message: ModelMessage) {
  const baseUrl = provider === 'openai' || provider === 'compatible' ? `${loopback.url}/v1` : loopback.url
  const none = { anthropic: {}, openai: {}, google: {}, compatible: {} }
  const settings = { ...none, [provider]: { apiKey: 'a-key', baseUrl } }
  const said: Chunk[] = []
  const ended = await takeTurn(
    {
      model: await openModel(settings, { provider, model: 'a-model' }),
      provider,
      facts: factsOf(provider, 'a-model'),
      count: roughly,
      system: 'Be brief.',
      history: [message],
      summary: null,
      open: [],
      callIds: new Set(),
      used: null,
      limits: {
        outputTokens: 100,
        historyTokens: 30_000,
        historyMessages: 50,
        summaries: false,
        steps: null,
        costUsd: null,
        tokens: null,
      },
      signal: AbortSignal.timeout(20_000),
    },
    {
      say: (chunk) => void said.push(chunk),
      kept: async () => undefined,
      tell: () => undefined,
      tools: () => [{ name: 'read', description: 'Reads', inputSchema: { type: 'object' } }],
      call: async () => ({ how: 'failed', message: 'there are none' }),
      heard: () => [],
    },
  )
  return { ended, said }
}
