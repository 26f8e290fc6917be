import { expect, test } from 'vitest'
import { drawTable } from './table.ts'

test('shows what went well, what did not, what cannot be and what was never tried', () => {
  const table = drawTable(
    ['first', 'the second'],
    ['one', 'other'],
    [
      { agent: 'one', scenario: 'first', outcome: '✓' },
      { agent: 'other', scenario: 'first', outcome: '✗' },
      { agent: 'one', scenario: 'the second', outcome: '–', note: 'it cannot' },
    ],
  )
  expect(table).toBe(
    ['            one  other', 'first       ✓    ✗', 'the second  – 1  ?', '', '1 it cannot'].join('\n'),
  )
})
