import type { ModelMessage } from 'ai'
import { expect, test } from 'vitest'
import { factsOf } from './catalogue.ts'
import { answeredWith, refusal, turn, typesOf } from './fixtures/turn.ts'
import type { Step } from './fixtures/turn.ts'
import type { CallOutcome } from './port.ts'

test('it answers, and that is all', async () => {
  const { ended, said, usage } = await turn([{ text: 'Hello' }])
  expect(ended).toEqual({ how: 'completed' })
  expect(typesOf(said)).toEqual(['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step'])
  expect(usage.at(-1)).toMatchObject({ inputTokens: 10, outputTokens: 5, steps: 1, costUsd: 0.000105 })
})

test('five calls: two refused, one failing, all told, and all go back together before the model goes on', async () => {
  const outcomes: Record<string, CallOutcome> = {
    a: answeredWith('A'),
    b: { how: 'refused', reason: 'not today' },
    c: { how: 'failed', message: 'the disk is full' },
    d: { how: 'refused', reason: 'nor this' },
    e: answeredWith('E'),
  }
  const queue: string[] = []
  const running: string[] = []
  let most = 0
  const { ended, said, shown } = await turn(
    [{ calls: Object.keys(outcomes).map((id) => [id, 'read', { path: id }]) }, { text: 'done' }],
    {
      call: async ({ toolCallId }, { position, total }, _signal, onQueued) => {
        queue.push(`${toolCallId} ${position} of ${total}`)
        onQueued()
        running.push(toolCallId)
        most = Math.max(most, running.length)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running.splice(running.indexOf(toolCallId), 1)
        return outcomes[toolCallId]!
      },
    },
  )
  expect(ended).toEqual({ how: 'completed' })
  expect(queue).toEqual(['a 1 of 5', 'b 2 of 5', 'c 3 of 5', 'd 4 of 5', 'e 5 of 5'])
  expect(most).toBe(5)
  expect(
    typesOf(said)
      .filter((type) => type.startsWith('tool-output'))
      .toSorted(),
  ).toEqual([
    'tool-output-available',
    'tool-output-available',
    'tool-output-denied',
    'tool-output-denied',
    'tool-output-error',
  ])
  const results = shown[1]!.at(-1)
  expect(results).toMatchObject({ role: 'tool' })
  expect(JSON.stringify(results)).toMatch(/not today.*the disk is full.*nor this/)
})

test('an answer that tells of a failure is told as one, in the log as to the model', async () => {
  const { said, shown } = await turn([{ calls: [['a', 'read']] }, { text: 'done' }], {
    call: async () => ({ how: 'answered', output: 'closed', text: 'closed', isError: true }),
  })
  expect(said).toContainEqual({ type: 'tool-output-error', toolCallId: 'a', errorText: 'closed' })
  expect(shown[1]?.at(-1)).toMatchObject({ content: [{ output: { type: 'error-text', value: 'closed' } }] })
})

test('what was said meanwhile is heard before the next step, and after the last one', async () => {
  const heard: ModelMessage[][] = [
    [],
    [{ role: 'user', content: 'and b' }],
    [{ role: 'user', content: 'and c' }],
  ]
  const { ended, shown } = await turn([{ calls: [['a', 'read']] }, { text: 'a and b' }, { text: 'c' }], {
    heard: () => heard.shift() ?? [],
  })
  expect(ended).toEqual({ how: 'completed' })
  expect(JSON.stringify(shown[1])).toContain('and b')
  expect(JSON.stringify(shown[2])).toContain('and c')
})

test('a turn that was cut off in its calls goes on with them, and asks the model only then', async () => {
  const called: string[] = []
  const history: ModelMessage[] = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'read', input: {} }] },
  ]
  const { shown } = await turn([{ text: 'done' }], {
    history,
    open: [{ toolCallId: 'a', toolName: 'read', input: {} }],
    call: async ({ toolCallId }) => {
      called.push(toolCallId)
      return answeredWith('A')
    },
  })
  expect(called).toEqual(['a'])
  expect(shown[0]?.at(-1)).toMatchObject({ role: 'tool' })
})

test('a provider in trouble is asked again, and that is told', async () => {
  const { ended, said } = await turn([
    refusal(503),
    refusal(429, { 'retry-after-ms': '1' }),
    { text: 'at last' },
  ])
  expect(ended).toEqual({ how: 'completed' })
  expect(said.filter(({ type }) => type === 'data-notice').map(({ data }) => data)).toMatchObject([
    { attempt: 1, text: expect.stringContaining('503') },
    { attempt: 2, text: expect.stringContaining('429'), waitMs: 1 },
  ])
})

test.each([
  [401, 'does not accept the key'],
  [400, 'refused the request'],
])('%i is not asked again, and ends the turn with why', async (status, words) => {
  const { ended, shown } = await turn([refusal(status), { text: 'never' }])
  expect(ended).toEqual({ how: 'failed', message: expect.stringContaining(words) })
  expect(shown).toHaveLength(1)
})

test('what the provider finds too long is shown shorter, once', async () => {
  const history = [1, 2, 3, 4].flatMap((n): ModelMessage[] => [
    { role: 'user', content: `${n} ${'word '.repeat(4_000)}` },
    { role: 'assistant', content: 'ok' },
  ])
  const tooLong = refusal(400, {}, 'maximum context length is 20000 tokens')
  const wanted = { history: [...history, { role: 'user', content: 'and now?' } as const] }
  const fine = await turn([tooLong, { text: 'ok' }], wanted)
  expect(fine.ended).toEqual({ how: 'completed' })
  expect(sizeOf(fine.shown[1])).toBeLessThan(sizeOf(fine.shown[0]) * 0.8)
  expect(JSON.stringify(fine.said)).toContain('asked again with less of the past')
  const never = await turn([tooLong, tooLong, { text: 'never' }], wanted)
  expect(never.ended).toMatchObject({ how: 'failed', message: expect.stringContaining('too long') })
})

test('an answer that is cut off names the setting', async () => {
  const { said } = await turn([{ text: 'and then', finish: 'length' }])
  expect(said.find(({ type }) => type === 'data-notice')?.['data']).toMatchObject({
    text: expect.stringContaining('MAX_OUTPUT_TOKENS'),
  })
})

test('a model that goes round in circles is stopped', async () => {
  const { ended, shown } = await turn(
    Array.from({ length: 50 }, () => ({ calls: [['a', 'read', { path: 'x' }]] })),
  )
  expect(ended).toMatchObject({ how: 'failed', message: expect.stringContaining('again and again') })
  expect(shown.length).toBeLessThan(10)
})

test('steps and money are limits', async () => {
  const steps = Array.from({ length: 9 }, (_, n): Step => ({ calls: [[`c${n}`, 'read', { path: `${n}` }]] }))
  expect((await turn(steps, { limits: { steps: 3 } })).ended).toMatchObject({
    how: 'limited',
    message: expect.stringContaining('3 steps'),
  })
  expect((await turn(steps, { limits: { costUsd: 0.0002 } })).shown).toHaveLength(2)
})

test('of two hundred calls at once as many are made as may be, and the rest is told so', async () => {
  let made = 0
  const calls = Array.from({ length: 200 }, (_, n): [string, string, object] => [
    `c${n}`,
    'read',
    { path: `${n}` },
  ])
  const { ended, said } = await turn([{ calls }, { text: 'done' }], {
    call: async () => {
      made += 1
      return answeredWith('ok')
    },
  })
  expect(ended).toEqual({ how: 'completed' })
  expect(made).toBe(128)
  expect(said.filter(({ type }) => type === 'tool-output-error')).toHaveLength(72)
})

test('a model without eyes is told that there is a picture', async () => {
  const picture = { type: 'image', image: new Uint8Array(10), mediaType: 'image/png' } as const
  const { shown } = await turn([{ text: 'ok' }], {
    history: [{ role: 'user', content: [{ type: 'text', text: 'look' }, picture] }],
    facts: factsOf('compatible', 'blind'),
  })
  expect(JSON.stringify(shown[0])).toContain('cannot see')
})

test('whoever stops it while it waits to ask again waits no longer', async () => {
  const stopping = new AbortController()
  const asked = turn([refusal(429, { 'retry-after': '100' })], {
    signal: stopping.signal,
    onSay: ({ type }) => type === 'data-notice' && stopping.abort(new Error('stopped')),
  })
  await expect(asked).rejects.toThrow('stopped')
})

const sizeOf = (shown: unknown): number => JSON.stringify(shown).length
