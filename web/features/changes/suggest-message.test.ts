import { expect, it } from 'vitest'
import { suggestMessage } from './suggest-message.ts'

it('a commit is called after what the work is about, in a line, or else after what has changed', () => {
  const files = [{ path: 'a.ts' }, { path: 'b.ts' }]
  expect(suggestMessage(' Paint the signals\nall of them', files)).toBe('Paint the signals')
  expect(suggestMessage(`Paint ${'x'.repeat(100)}`, files)).toHaveLength(72)
  expect(suggestMessage('scripted', files)).toBe('Change a.ts and 1 more')
  expect(suggestMessage('', files.slice(1))).toBe('Change b.ts')
  expect(suggestMessage('', [])).toBe('')
})
