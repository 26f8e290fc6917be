import { expect, it } from 'vitest'
import { isFilled, schemaContent, schemaFields } from './schema-fields.ts'

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
    ['deep', 'json'],
    ['odd', 'json'],
  ])
  expect(fields[0]).toMatchObject({ label: 'Name', hint: 'Of the branch', isNeeded: true })
  expect(fields[4]?.choices).toEqual([
    { value: 'red', label: 'Red' },
    { value: 'green', label: 'green' },
  ])
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

it('knows when what is needed is there', () => {
  expect(isFilled(fields, {})).toBe(false)
  expect(isFilled(fields, { name: 'x' })).toBe(true)
})

it('makes nothing of what is no object', () => {
  expect(schemaFields({ type: 'object' })).toEqual([])
  expect(schemaFields({ properties: [] })).toEqual([])
})
