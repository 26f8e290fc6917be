import { expect, it } from 'vitest'
import { isFilled, schemaContent } from './schema-content.ts'
import { schemaFields } from './schema-fields.ts'

const fields = schemaFields({
  type: 'object',
  properties: {
    name: { type: 'string', title: 'Name', description: 'Of the branch' },
    count: { type: 'integer' },
    ratio: { type: 'number', default: 0.5 },
    force: { type: 'boolean' },
    colour: { enum: ['red', 'green'], enumNames: ['Red'] },
    size: { oneOf: [{ const: 1, title: 'Small' }, { const: 2 }] },
    some: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
    words: { type: 'array', items: { type: 'string' }, 'x-flag': '--word' },
    counts: { type: 'array', items: { type: 'integer' } },
    highlight: { type: ['boolean', 'string'] },
    depth: { type: ['boolean', 'number'] },
    when: { enum: [true, 'never'] },
    deep: { type: 'object' },
    odd: 'not a schema',
  },
  required: ['name', 'force'],
})

it('makes a field of every property', () => {
  expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
    ['name', 'text'],
    ['count', 'integer'],
    ['ratio', 'number'],
    ['force', 'yes-no'],
    ['colour', 'one-of'],
    ['size', 'one-of'],
    ['some', 'some-of'],
    ['words', 'several'],
    ['counts', 'several'],
    ['highlight', 'yes-or-text'],
    ['depth', 'yes-or-text'],
    ['when', 'one-of'],
    ['deep', 'json'],
    ['odd', 'json'],
  ])
  expect(fields[0]).toMatchObject({ label: 'Name', hint: 'Of the branch', isNeeded: true })
  expect(fields[4]?.choices).toEqual([
    { value: 'red', label: 'Red' },
    { value: 'green', label: 'green' },
  ])
  expect(fields[7]?.flag).toBe('--word')
  expect(fields[5]?.choices[1]).toEqual({ value: 2, label: '2' })
})

it('sends what was filled in, in the type that was asked for, and nothing else', () => {
  const given = { name: 'x', count: '3', colour: '', size: 1, some: ['a'], deep: '{"a":1}', odd: '{' }
  expect(schemaContent(fields, given)).toEqual({
    name: 'x',
    count: 3,
    ratio: 0.5,
    force: false,
    size: 1,
    some: ['a'],
    deep: { a: 1 },
    odd: '{',
  })
})

it('takes several values one by line, and as JSON where a line is not enough', () => {
  const sent = (given: object) => schemaContent(fields, { name: 'x', ...given })
  expect(sent({ words: 'a b\n\n c\n', counts: '1\n2' })).toMatchObject({
    words: ['a b', ' c'],
    counts: [1, 2],
  })
  expect(sent({ words: '["a\\nb", "c"]' })).toMatchObject({ words: ['a\nb', 'c'] })
  expect(sent({ words: '[not json' })).toMatchObject({ words: ['[not json'] })
  expect(sent({ words: ' \n', counts: '' })).toEqual({ name: 'x', force: false, ratio: 0.5 })
})

it('takes what may be wanted with or without saying more', () => {
  const sent = (given: object) => schemaContent(fields.slice(9, 12), { ...given })
  expect(sent({ highlight: true, depth: '3' })).toEqual({ highlight: true, depth: 3 })
  expect(sent({ highlight: 'red', depth: true, when: true })).toEqual({
    highlight: 'red',
    depth: true,
    when: true,
  })
  expect(sent({ highlight: false, depth: '' })).toEqual({})
  expect(fields[11]?.choices).toEqual([
    { value: true, label: 'Yes' },
    { value: 'never', label: 'never' },
  ])
})

it('knows when what is needed is there', () => {
  expect(isFilled(fields, {})).toBe(false)
  expect(isFilled(fields, { name: 'x' })).toBe(true)
})

it('makes nothing of what is no object', () => {
  expect(schemaFields({ type: 'object' })).toEqual([])
  expect(schemaFields({ properties: [] })).toEqual([])
})
