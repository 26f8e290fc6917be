import { expect, it } from 'vitest'
import { textWidth } from '#lib/text-width.ts'
import type { Screen } from './screen.ts'
import { formatTable } from './table.ts'
import type { Column } from './table.ts'

interface Row {
  status: string
  title: string
  id: string
  age: string
}

const columns: Column<Row>[] = [
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'TITLE', text: ({ title }) => title, flexible: true },
  { title: 'ID', text: ({ id }) => id, spare: 1 },
  { title: 'AGE', text: ({ age }) => age, spare: 2 },
]
const rows: Row[] = [
  { status: 'todo', title: 'Write the docs', id: 'aaaaaaaa', age: '3m' },
  {
    status: 'in progress',
    title: '日本語 👨‍👩‍👧‍👦 a rather long title that has to give way somewhere',
    id: 'bbbbbbbb',
    age: '2d',
  },
  { status: 'done', title: 'evil \u001b[31m\u202e\nsecond line', id: 'cccccccc', age: 'now' },
]
const screen = (width: number): Screen => ({ write: () => undefined, width, paint: (_, text) => text })
const table = (width: number) => formatTable(screen(width), rows, columns).trimEnd().split('\n')

it('aligns columns, also under wide characters', () => {
  expect(table(Number.POSITIVE_INFINITY)).toEqual([
    'STATUS       TITLE                                                         ID        AGE',
    'todo         Write the docs                                                aaaaaaaa  3m',
    'in progress  日本語 👨‍👩‍👧‍👦 a rather long title that has to give way somewhere  bbbbbbbb  2d',
    'done         evil \\u001b[31m\\u202e second line                             cccccccc  now',
  ])
})

it.each([120, 80, 60, 40, 30, 26])('never takes more than %d columns', (width) => {
  for (const line of table(width)) expect(textWidth(line)).toBeLessThanOrEqual(width)
})

it('shortens titles first, then leaves columns out', () => {
  expect(table(50)[2]).toBe('in progress  日本語 👨‍👩‍👧‍👦 a rather lo…  bbbbbbbb  2d')
  expect(table(36)[0]).toBe('STATUS       TITLE          ID')
  expect(table(26)[0]).toBe('STATUS       TITLE')
})
