import { describe, expect, it } from 'vitest'
import { checkArgs } from '#domain/args-schema.ts'
import { Problem } from '#domain/problem.ts'
import { misfits } from './schema-misfits.ts'
import { isTame } from './tame-pattern.ts'

type Schema = Record<string, unknown>

/** As the server says it: `args.files.1`, and why. */
function ofServer(schema: Schema, args: Schema): string[] {
  try {
    checkArgs(schema, args)
    return []
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const fields = error.context?.['fields'] as { field: string; reason: string }[]
    return fields.map(({ field, reason }) => `${field}: ${reason}`).toSorted()
  }
}
const ours = (schema: Schema, args: Schema) =>
  misfits(schema, args)
    .map(({ path, reason }) => `${['args', ...path].join('.')}: ${reason}`)
    .toSorted()

const place = {
  type: 'object',
  required: ['file'],
  properties: { file: { type: 'string', minLength: 2 }, line: { $ref: '#/$defs/line' } },
}
const schema = {
  type: 'object',
  required: ['name', 'times'],
  properties: {
    name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
    times: { type: 'integer', minimum: 1, maximum: 9 },
    ratio: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.25 },
    colour: { enum: ['red', 'green', 3] },
    only: { const: 'this' },
    tags: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      minItems: 1,
      maxItems: 3,
      uniqueItems: true,
    },
    place,
    places: { type: 'array', items: place },
    maybe: { type: ['string', 'null'] },
  },
  $defs: { line: { type: 'integer', minimum: 1 } },
}
const fine = { name: 'abc', times: 3 }

describe('what does not fit', () => {
  it.each<[Schema]>([
    [fine],
    [{}],
    [{ name: 'ABC', times: 0 }],
    [{ name: 'a', times: 10 }],
    [{ name: 'abcdefg', times: 1.5 }],
    [{ name: 5, times: '5' }],
    [{ name: '😀😀', times: 1 }],
    [{ ...fine, ratio: 0 }],
    [{ ...fine, ratio: 1 }],
    [{ ...fine, ratio: 0.3 }],
    [{ ...fine, ratio: 0.5 }],
    [{ ...fine, colour: 'blue' }],
    [{ ...fine, colour: 3 }],
    [{ ...fine, only: 'that' }],
    [{ ...fine, tags: [] }],
    [{ ...fine, tags: ['a', '', 5] }],
    [{ ...fine, tags: ['a', 'b', 'a'] }],
    [{ ...fine, tags: ['a', 'b', 'c', 'd'] }],
    [{ ...fine, tags: 'a' }],
    [{ ...fine, place: {} }],
    [{ ...fine, place: { file: 'x', line: 0 } }],
    [{ ...fine, place: { file: 'xy', line: 'z' } }],
    [{ ...fine, places: [{ file: 'ok' }, { line: 1 }, 'no'] }],
    [{ ...fine, maybe: null }],
    [{ ...fine, maybe: 1 }],
  ])('%j is told in the words of the server', (args) => {
    expect(ours(schema, args)).toEqual(ofServer(schema, args))
  })

  it('is told of a choice between schemas as a whole', () => {
    for (const keyword of ['oneOf', 'anyOf']) {
      const either = {
        type: 'object',
        properties: {
          a: {
            [keyword]: [
              { type: 'integer', minimum: 5 },
              { type: 'string', maxLength: 2 },
            ],
          },
        },
      }
      for (const a of [1, 'abc', true])
        expect(ofServer(either, { a })).toEqual(expect.arrayContaining(ours(either, { a })))
      expect(ours(either, { a: 1 })).toHaveLength(1)
      for (const a of [7, 'ab']) expect(ours(either, { a })).toEqual([])
    }
  })

  it('is never made up of what is not known', () => {
    const odd = {
      type: 'object',
      properties: {
        a: { $ref: 'https://elsewhere/' },
        b: { $ref: '#/nowhere' },
        c: { pattern: '(' },
        d: true,
      },
      if: { properties: { a: { const: 1 } } },
      // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
      then: { required: ['z'] },
    }
    expect(misfits(odd, { a: 1, b: 2, c: 'x', d: {} })).toEqual([])
    const circle: Schema = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }
    expect(misfits(circle, { a: 1 })).toEqual([])
    const tree = { type: 'object', properties: { child: { $ref: '#' } } }
    expect(misfits(tree, { child: { child: 5 } })).toEqual([])
  })
})

it('tries only patterns that cannot take long', () => {
  for (const tame of ['^[a-z]+$', String.raw`^\d{3}-\d+$`, '^(?:a|b)$', '[^/]+/[^/]+', '^(foo|bar)-[0-9]*$'])
    expect([tame, isTame(tame)]).toEqual([tame, true])
  for (const wild of [
    '(a+)+$',
    '^(a|a)*$',
    '(.*)*',
    '((a+))+',
    '((a|b)c?)*d',
    String.raw`(a)\1`,
    'a*b*c*d*e*f*',
    '(',
    'x'.repeat(201),
  ])
    expect([wild, isTame(wild)]).toEqual([wild, false])
})
