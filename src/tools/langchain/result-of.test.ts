import { expect, it } from 'vitest'
import { resultOf } from './result-of.ts'

const text = (words: string) => ({ type: 'text', text: words })

it.each<[string, unknown, unknown]>([
  ['text', 'hello', { content: [text('hello')] }],
  ['nothing', undefined, { content: [] }],
  ['null', null, { content: [text('null')] }],
  ['a number', 5, { content: [text('5')] }],
  ['an object', { a: 1 }, { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
  ['a list', [1, { type: 'x' }], { content: [text('[1,{"type":"x"}]')] }],
  ['a number that is too large for JSON', 5n, { content: [text('5n')] }],
  ['blocks of text', [text('a'), text('b')], { content: [text('a'), text('b')] }],
  [
    'an image in its address',
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } }],
    { content: [{ type: 'image', data: 'iVBORw==', mimeType: 'image/png' }] },
  ],
  [
    'an image elsewhere',
    [{ type: 'image_url', image_url: 'https://example.com/a.png' }],
    {
      content: [
        { type: 'resource_link', uri: 'https://example.com/a.png', name: 'https://example.com/a.png' },
      ],
    },
  ],
  [
    'sound',
    [{ type: 'audio', source_type: 'base64', data: 'AAAA', mime_type: 'audio/wav' }],
    { content: [{ type: 'audio', data: 'AAAA', mimeType: 'audio/wav' }] },
  ],
  [
    'a file',
    [{ type: 'file', data: 'AAAA', mimeType: 'application/pdf' }],
    {
      content: [
        { type: 'resource', resource: { uri: 'langchain:file', mimeType: 'application/pdf', blob: 'AAAA' } },
      ],
    },
  ],
  [
    'a message',
    { content: 'hello', artifact: { a: 1 }, tool_call_id: '1', status: 'success' },
    { content: [text('hello')], structuredContent: { a: 1 } },
  ],
  [
    'a message of failure',
    { content: 'no', tool_call_id: '1', status: 'error' },
    { content: [text('no')], isError: true },
  ],
])('understands %s', (_, given, expected) => {
  expect(resultOf(given)).toEqual(expected)
})

it('understands content with its artifact', () => {
  const expected = { content: [text('two')], structuredContent: { found: 2 } }
  expect(resultOf(['two', { found: 2 }], 'content_and_artifact')).toEqual(expected)
})
