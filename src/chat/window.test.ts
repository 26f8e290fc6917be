import type { ModelMessage } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { roughly, tokensOf } from './tokens.ts'
import { DoesNotFit, fitWindow } from './window.ts'

const user = (text: string): ModelMessage => ({ role: 'user', content: text })
const said = (text: string): ModelMessage => ({ role: 'assistant', content: text })
const called = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: {} })),
})
const answered = (value: string, ...ids: string[]): ModelMessage => ({
  role: 'tool',
  content: ids.map((toolCallId) => ({
    type: 'tool-result',
    toolCallId,
    toolName: 'read',
    output: { type: 'text', value },
  })),
})
const plenty = { tokens: 30_000, messages: 50 }

test('all of a short conversation is shown, as it is', () => {
  const all = [user('a'), said('b'), user('c')]
  expect(fitWindow(all, plenty, roughly)).toMatchObject({ messages: all, dropped: [], shortened: 0 })
})

test('the oldest goes first, and what is shown begins with a person', () => {
  const all = [user('one'), said('1'), user('two'), called('x'), answered('2', 'x'), said('2'), user('three')]
  const { messages, dropped } = fitWindow(all, { tokens: 30_000, messages: 4 }, roughly)
  expect(messages).toEqual([user('three')])
  expect(dropped).toEqual(all.slice(0, -1))
})

test('the newest turn stays with all its steps, however many messages there may be', () => {
  const turn = [user('go'), ...[1, 2, 3, 4].flatMap((n) => [called(`c${n}`), answered('ok', `c${n}`)])]
  const { messages } = fitWindow(
    [user('old'), said('old'), ...turn],
    { tokens: 30_000, messages: 3 },
    roughly,
  )
  expect(messages).toEqual(turn)
})

test('long results of the newest turn are told in brief, the oldest first, before it is given up', () => {
  const long = 'word '.repeat(40_000)
  const turn = [user('go'), called('a'), answered(long, 'a'), called('b'), answered('short', 'b')]
  const { messages, shortened, tokens } = fitWindow(turn, plenty, roughly)
  expect(shortened).toBe(1)
  expect(tokens).toBeLessThan(1_000)
  expect(JSON.stringify(messages[2])).toContain('characters are left out here')
  expect(messages[4]).toEqual(turn[4])
})

test('what a person says that is too long for the window is told so, with both figures', () => {
  const error = thrown(() => fitWindow([user('word '.repeat(50_000))], plenty, roughly))
  expect(error).toBeInstanceOf(DoesNotFit)
  expect(error).toMatchObject({ limit: 30_000 })
  expect((error as DoesNotFit).tokens).toBeGreaterThan(60_000)
})

test('whatever was said: it fits, nothing is torn apart, nothing is lost between, and the last turn is there', () => {
  const turn = fc
    .record({
      text: fc.string({ maxLength: 400 }),
      steps: fc.array(fc.string({ maxLength: 300 }), { maxLength: 4 }),
    })
    .map(({ text, steps }) => ({ text, steps }))
  fc.assert(
    fc.property(
      fc.array(turn, { minLength: 1, maxLength: 25 }),
      fc.integer({ min: 1_500, max: 6_000 }),
      fc.integer({ min: 1, max: 60 }),
      (turns, tokens, most) => {
        const all = turns.flatMap(({ text, steps }, at) => [
          user(`${at} ${text}`),
          ...steps.flatMap((value, step) => [called(`${at}.${step}`), answered(value, `${at}.${step}`)]),
          said('done'),
        ])
        const fitted = fitWindow(all, { tokens, messages: most }, roughly)
        expect([...fitted.dropped, ...fitted.messages]).toEqual(all)
        expect(fitted.messages.reduce((sum, one) => sum + tokensOf(one, roughly), 0)).toBeLessThanOrEqual(
          tokens,
        )
        expect(fitted.messages[0]?.role).toBe('user')
        expect(fitted.messages).toContainEqual(all.findLast(({ role }) => role === 'user'))
        const calls = idsOf(fitted.messages, 'tool-call')
        expect(idsOf(fitted.messages, 'tool-result')).toEqual(calls)
      },
    ),
    { numRuns: 300 },
  )
})

function idsOf(messages: readonly ModelMessage[], type: 'tool-call' | 'tool-result'): string[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string'
      ? []
      : content.flatMap((part) => (part.type === type ? [(part as { toolCallId: string }).toolCallId] : [])),
  )
}

function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}
