import { expect, it } from 'vitest'
import { messageOf } from './comments.ts'
import type { Comment } from './comments.ts'

const comment = (part: Partial<Comment>): Comment => ({
  id: '1',
  path: 'src/a.ts',
  side: 'after',
  from: 3,
  to: 3,
  quote: 'const a = 1',
  text: 'Why one?',
  isOpen: false,
  ...part,
})

it('one comment says where it belongs, what stands there, and what is said', () => {
  expect(messageOf([comment({})])).toBe(
    'A comment on your changes:\n\nsrc/a.ts, line 3:\n```\nconst a = 1\n```\nWhy one?',
  )
})

it('several are in the order of files and lines, with what was there before, and without those that say nothing', () => {
  const said = messageOf([
    comment({ path: 'src/b.ts', from: 1, to: 1, quote: 'b', text: ' last \n' }),
    comment({ from: 7, to: 9, quote: 'seven\neight\nnine', side: 'before', text: 'Keep\nthis' }),
    comment({ text: '  ' }),
    comment({ from: 2, to: 2, quote: 'two', text: 'first', isOpen: true }),
  ])
  expect(said).toBe(
    [
      '3 comments on your changes:',
      'src/a.ts, line 2:\n```\ntwo\n```\nfirst',
      'src/a.ts, lines 7 to 9 as they were before:\n```\nseven\neight\nnine\n```\nKeep\nthis',
      'src/b.ts, line 1:\n```\nb\n```\nlast',
    ].join('\n\n'),
  )
})

it('code that has fences of its own stays inside of longer ones', () => {
  expect(messageOf([comment({ quote: '````md\n```' })])).toContain('\n`````\n````md\n```\n`````\n')
})
