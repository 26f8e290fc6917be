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

test('a long turn goes on without its oldest steps, when they do not fit even in brief', () => {
  const words = 'some words '.repeat(60)
  const steps = Array.from({ length: 60 }, (_, n) => [called(`c${n}`), answered(words, `c${n}`)])
  const turn = [user('the one wish'), ...steps.flat()]
  const { messages, stepsLeftOut, dropped } = fitWindow(turn, { tokens: 4_000, messages: 50 }, roughly)
  expect(messages[0]).toEqual(user('the one wish'))
  expect(messages.slice(1)).toEqual(turn.slice(-(messages.length - 1)))
  expect(stepsLeftOut).toBe(60 - (messages.length - 1) / 2)
  expect(stepsLeftOut).toBeGreaterThan(30)
  expect(dropped).toEqual([])
})

test('something too long that was said before is told in brief, and what came before it is not lost', () => {
  const all = [user('my name is Ada'), said('hello'), user('word '.repeat(50_000)), user('what is my name?')]
  const { messages, shortened, dropped } = fitWindow(all, plenty, roughly)
  expect([messages.length, shortened, dropped.length]).toEqual([4, 1, 0])
  expect(messages[0]).toEqual(user('my name is Ada'))
  expect(JSON.stringify(messages[2])).toContain('characters are left out')
})

test('long arguments of older calls are told in brief too; what was thought is never touched', () => {
  const thought = { type: 'reasoning', text: 'hm '.repeat(2_000) } as const
  const call = {
    type: 'tool-call',
    toolCallId: 'w',
    toolName: 'write',
    input: { path: 'a', edits: [{ text: 'line '.repeat(40_000) }] },
  } as const
  const step: ModelMessage = { role: 'assistant', content: [thought, call] }
  const { messages } = fitWindow([user('go'), step, answered('ok', 'w')], plenty, roughly)
  expect(messages[1]?.content[0]).toEqual(thought)
  expect(messages[1]?.content[1]).toMatchObject({
    input: { path: 'a', edits: [{ text: expect.stringContaining('left out') }] },
  })
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
