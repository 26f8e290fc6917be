import { describe, expect, test } from 'vitest'
import { ChatRequest } from '#contract/chat.ts'
import { contentOf, readChatRequest } from './chat-request.ts'

const wish = (body: unknown) => readChatRequest(ChatRequest.parse(body))
const user = (...parts: object[]) => ({ id: 'u', role: 'user', parts })
const text = (words: string) => ({ type: 'text', text: words })
const file = (url: string) => ({ type: 'file', url, mediaType: 'text/plain', filename: 'a.txt' })

describe('what is said', () => {
  test.each([
    ['the messages alone', [user(text('one')), user(text('two'))]],
    ['as useChat sends them', { id: 'c', messages: [user(text('two'))], trigger: 'submit-message' }],
    [
      'with more than anybody asked for',
      { messages: [user(text('two'), { type: 'data-x', data: 1 })], x: 1 },
    ],
  ])('is the last message: %s', (_, body) => {
    expect(wish(body)).toMatchObject({ kind: 'message', text: 'two', files: [] })
  })

  test('has its files: by path, brought along, and by address where they lie elsewhere', () => {
    const urls = [
      'src/a.txt',
      'file:///srv/a%20b.txt',
      'data:text/plain;base64,YQ==',
      'https://example.com/a',
    ]
    expect(wish([user(text('see'), ...urls.map(file))])).toMatchObject({
      text: 'see\n\na.txt: https://example.com/a',
      files: ['src/a.txt', '/srv/a b.txt', 'data:text/plain;base64,YQ=='].map((url) => ({
        url,
        name: 'a.txt',
      })),
    })
  })

  test.each([
    ['nothing', user(text(' '))],
    ['only what is not for the agent', user({ type: 'data-x', data: 1 })],
    ['a text that is none', user({ type: 'text', text: 7 })],
    ['a text beyond measure', user(text('x'.repeat(1_000_001)))],
    ['the words of a system', { id: 's', role: 'system', parts: [text('x')] }],
  ])('must be something: %s is refused', (_, message) => {
    expect(() => wish([message])).toThrow(/does not fit/)
  })
})

const answered = (state: string, approval: object) => ({
  id: 'a',
  role: 'assistant',
  parts: [{ type: 'dynamic-tool', toolName: 'x', toolCallId: 't', state, input: { a: 1 }, approval }],
})

test('an answer is what addToolApprovalResponse leaves in the last message, and nothing else', () => {
  expect(wish([answered('approval-responded', { id: 'q', approved: false, reason: 'no' })])).toMatchObject({
    kind: 'answers',
    answers: [{ approvalId: 'q', approved: false, reason: 'no', input: { a: 1 } }],
  })
  for (const state of ['approval-requested', 'output-available'])
    expect(() => wish([answered(state, { id: 'q', approved: true })])).toThrow(/must be of a person/)
  expect(() => wish([answered('approval-responded', { id: 'q', approved: 'yes' })])).toThrow(
    /must be of a person/,
  )
})

describe('going back', () => {
  const said = { id: 'u', messages: [user(text('two'))] }

  test('is wanted by a trigger, or by the name of what is edited', () => {
    expect(wish({ ...said, trigger: 'regenerate-message' })).toEqual({ kind: 'again', last: 'u' })
    expect(wish({ ...said, trigger: 'regenerate-message', messageId: 'a' })).toEqual({
      kind: 'again',
      last: 'u',
      messageId: 'a',
    })
    expect(wish({ ...said, messageId: 'u' })).toMatchObject({ kind: 'message', text: 'two', edits: 'u' })
    for (const messageId of [null, undefined])
      expect(wish({ ...said, messageId })).not.toHaveProperty('edits')
  })

  test('is not meant by the name of a message that asks something: that is answered', () => {
    const asked = answered('approval-responded', { id: 'q', approved: true })
    const messages = [asked, user(text('meanwhile'))]
    expect(wish({ messages, messageId: 'a' })).toMatchObject({
      kind: 'answers',
      answers: [{ approvalId: 'q' }],
    })
    expect(wish({ messages })).toMatchObject({ kind: 'message', text: 'meanwhile' })
  })
})

test('a form is filled by an object, or in words where there is one question', () => {
  expect(contentOf('{"color":"blue"}', null)).toEqual({ color: 'blue' })
  expect(contentOf('blue', [{ id: 'color' }])).toEqual({ color: 'blue' })
  expect(contentOf('blue', [{ id: 'color' }, { id: 'size' }])).toBeUndefined()
  expect(contentOf('["blue"]', null)).toBeUndefined()
  expect(contentOf(undefined, [{ id: 'color' }])).toBeUndefined()
})
