import { expect, it } from 'vitest'
import { withoutComments } from './json-comments.ts'

it('leaves out comments, and nothing that stands in quotes', () => {
  const text = `// first
{
  "url": "https://host/*", /* one
  two */ "b\\"//": "c // d", // "e": 1
  "f": 2
}`
  expect(JSON.parse(withoutComments(text))).toEqual({ url: 'https://host/*', 'b"//': 'c // d', f: 2 })
  expect(withoutComments(text).split('\n')).toHaveLength(text.split('\n').length)
  expect(() => JSON.parse(withoutComments('{"a": 1 /* open'))).toThrow(SyntaxError)
})
