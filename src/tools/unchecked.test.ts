import { expect, test } from 'vitest'
import { checkArgs } from './check-args.ts'
import { define } from './definition.ts'
import { whyUnchecked } from './unchecked.ts'

const schemaOf = (a: unknown, more: object = {}) => ({ type: 'object', properties: { a }, ...more })
/** Whether an argument that cannot fit is found out. */
function isChecked(schema: Record<string, unknown>): boolean {
  const probe = { ...schema, required: ['a'], properties: { ...(schema['properties'] as object), z: false } }
  try {
    checkArgs('s.t', probe, { a: 'x', z: 1 })
    return false
  } catch {
    return true
  }
}

test.each([
  ['a type', schemaOf({ type: 'strnig' }), '"strnig" is no type'],
  ['one of its types', schemaOf({ anyOf: [{ type: ['string', 'text'] }] }), '"text" is no type'],
  ['an address', schemaOf({ $ref: 'https://x.example/a.json' }), 'which is not fetched'],
  ['a circle', schemaOf({ $ref: '#/properties/a' }), '"#/properties/a" refers to itself'],
  ['a reference to nothing', schemaOf({ items: { $ref: '#/$defs/none' } }), 'which is not there'],
  ['a pattern', schemaOf({ pattern: '(' }), 'the pattern "(" is none'],
])('%s that is not understood is told of, and is why nothing is checked', (_, schema, why) => {
  expect(whyUnchecked(schema)).toContain(why)
  expect(isChecked(schema)).toBe(false)
})

test.each([
  ['a property called type', schemaOf({ type: 'object', properties: { type: { type: 'string' } } })],
  [
    'an example',
    schemaOf({ default: { type: 'strnig' }, enum: ['x', { $ref: 'y' }], 'x-ui': { type: 'wide' } }),
  ],
  ['a tree', schemaOf({ type: ['object', 'string'], properties: { a: { $ref: '#/properties/a' } } })],
  ['a part by its place', schemaOf({ $ref: '#/$defs/b~1c' }, { $defs: { 'b/c': { type: 'string' } } })],
  ['a part by its name', schemaOf({ $ref: 'urn:b' }, { $defs: { b: { $id: 'urn:b', type: 'string' } } })],
])('%s is nothing to tell of', (_, schema) => {
  expect(whyUnchecked(schema)).toBeUndefined()
  expect(isChecked(schema)).toBe(true)
})

test('a long chain of references is followed once', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 15_000 }, (_, at) => [`d${at}`, { $ref: `#/$defs/d${at + 1}` }]),
  )
  const began = performance.now()
  expect(whyUnchecked({ type: 'object', $defs: { ...$defs, d15000: {} } })).toBeUndefined()
  expect(performance.now() - began).toBeLessThan(5_000)
})

test('whoever sees the tool sees it', () => {
  const offered = { name: 't', inputSchema: schemaOf({ type: 'strnig' }) }
  const { tool } = define({ offered, name: 's.t', wireName: 's__t', short: 't' }, 's')
  expect(tool.notes).toEqual([
    'Its arguments are not checked beyond what it needs, because its inputSchema cannot be followed: "strnig" is no type.',
  ])
  expect(tool.unavailable).toBeUndefined()
})
