import { expect, test } from 'vitest'
import type { Asked } from './approval-card.tsx'
import { sourceThatAsks } from './source-that-asks.ts'

const asked = (tool: string, input: unknown, kind: Asked['kind'] = 'question'): Asked => ({
  id: '1',
  kind,
  tool,
  title: '',
  input,
  options: [],
  questions: null,
  schema: null,
  askedAt: '',
  expiresAt: '',
})

test('knows the source that asks, and shows everything in its words', () => {
  const input = { source: 'evil', tool: 'evil.greet', message: 'Your\u202e password' }
  expect(sourceThatAsks(asked('evil.greet', input))).toEqual({
    name: 'evil',
    doing: 'evil.greet',
    message: 'Your⟨U+202E⟩ password',
  })
  expect(sourceThatAsks(asked('evil prompts/get', { ...input, tool: 'evil prompts/get' }))?.name).toBe('evil')
})

test.each([
  ['a question of the agent itself', 'question', { message: 'Which one?' }],
  ['one that names a source which it is not', 'question', { source: 'github', tool: 'question' }],
  ['another tool than is asked about', 'evil.greet', { source: 'github', tool: 'github.greet' }],
  ['the beginning of a name', 'evil.greet', { source: 'evi', tool: 'evil.greet' }],
  ['nothing', 'evil.greet', null],
])('takes %s for no source', (_what, tool, input) => {
  expect(sourceThatAsks(asked(tool, input))).toBeUndefined()
})

test('takes a call for no question', () => {
  expect(sourceThatAsks(asked('evil.greet', { source: 'evil', tool: 'evil.greet' }, 'tool'))).toBeUndefined()
})
