import { describe, expect, test } from 'vitest'
import type { ArgsSchema } from '#contract/capability.ts'
import { checkArgs, checkArgsSchema } from './args-schema.ts'
import { Problem } from './problem.ts'

function refusalOf(work: () => unknown): unknown {
  try {
    work()
    return 'fits'
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return error.context?.['fields']
  }
}
const ofSchema = (schema: ArgsSchema) => refusalOf(() => checkArgsSchema(schema))
const ofArgs = (schema: ArgsSchema, args: Record<string, unknown>) => refusalOf(() => checkArgs(schema, args))
const reason = (text: string) => [{ field: 'argsSchema', reason: expect.stringContaining(text) }]

describe('a schema', () => {
  test.each([
    [{ type: 'object' }],
    [{ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', properties: { a: {} } }],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'string' } } }],
    [{ type: 'object', properties: { a: { type: 'string', format: 'email' } } }],
    [{ type: 'object', properties: { a: { type: ['string', 'number'], title: 'A', default: 1 } } }],
  ])('%j fits', (schema) => {
    expect(ofSchema(schema)).toBe('fits')
  })

  test('must be of an object', () => {
    const field = [{ field: 'argsSchema.type', reason: 'must be "object"' }]
    for (const schema of [{}, { type: 'string' }, { type: ['object'] }])
      expect(ofSchema(schema)).toEqual(field)
  })

  test.each([
    [{ type: 'object', properties: { a: { type: 'text' } } }, 'must be equal to one of the allowed values'],
    [{ type: 'object', propertys: {} }, 'unknown keyword: "propertys"'],
    [{ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }, 'Invalid regular expression'],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }, 'no schema with key or ref'],
    [{ type: 'object', properties: { a: { $ref: '#/$defs/none' } } }, `can't resolve reference`],
    [
      { type: 'object', properties: { a: { $ref: 'https://example.com/s' } } },
      'refers to https://example.com/s',
    ],
    [{ type: 'object', allOf: [{ $dynamicRef: 'other.json' }] }, 'refers to other.json'],
  ])('%j is refused in words that help', (schema, words) => {
    expect(ofSchema(schema)).toEqual(reason(words))
  })

  test('is at most 64 KB long', () => {
    expect(ofSchema({ type: 'object', description: 'x'.repeat(65_000) })).toBe('fits')
    expect(ofSchema({ type: 'object', description: 'x'.repeat(65_536) })).toEqual(reason('at most 65536'))
  })

  test('may have the $id of another one', () => {
    const schema = (name: string) => ({ $id: 'urn:example:one', type: 'object', properties: { [name]: {} } })
    expect(ofSchema(schema('a'))).toBe('fits')
    expect(ofSchema(schema('b'))).toBe('fits')
    expect(ofArgs(schema('b'), { b: 1 })).toBe('fits')
  })
})

describe('arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      ref: { type: 'string', pattern: '^[a-z/]+$' },
      depth: { type: 'integer', minimum: 1, default: 5 },
      mode: { enum: ['fast', 'slow'] },
      'a/b': { type: 'object', properties: { c: { type: 'string' } } },
    },
    required: ['ref'],
  }

  test('get their defaults, and the given ones are left alone', () => {
    const given = { ref: 'main' }
    expect(checkArgs(schema, given)).toEqual({ ref: 'main', depth: 5 })
    expect(given).toEqual({ ref: 'main' })
  })

  test('that are wrong are all named', () => {
    expect(ofArgs(schema, { depth: 0, mode: 'x', 'a/b': { c: 1 }, extra: true })).toEqual(
      expect.arrayContaining([
        { field: 'args.ref', reason: 'is needed' },
        { field: 'args.depth', reason: 'must be >= 1' },
        { field: 'args.mode', reason: 'must be one of fast, slow' },
        { field: 'args.a/b.c', reason: 'must be string' },
        { field: 'args.extra', reason: 'is not an argument of this capability' },
      ]),
    )
  })

  test('are not turned into what they are not', () => {
    expect(ofArgs(schema, { ref: 'a', depth: '3' })).toEqual([
      { field: 'args.depth', reason: 'must be integer' },
    ])
  })

  test('may be more than the schema knows only if it says so', () => {
    const closed = { type: 'object', properties: { a: {} } }
    const unknown = [{ field: 'args.b', reason: 'is not an argument of this capability' }]
    expect(ofArgs(closed, { b: 1 })).toEqual(unknown)
    expect(ofArgs({ ...closed, additionalProperties: false }, { b: 1 })).toEqual(unknown)
    expect(ofArgs({ ...closed, additionalProperties: true }, { b: 1 })).toBe('fits')
    expect(ofArgs({ ...closed, allOf: [{ properties: { b: {} } }] }, { a: 1, b: 1 })).toBe('fits')
  })

  test('that would take for ever to check are refused soon', () => {
    const evil = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } }
    expect(ofSchema(evil)).toBe('fits')
    const begun = performance.now()
    expect(ofArgs(evil, { a: `${'a'.repeat(60)}!` })).toEqual([
      { field: 'args', reason: 'take too long to be checked' },
    ])
    expect(performance.now() - begun).toBeLessThan(5_000)
    expect(ofArgs(evil, { a: 'aaa' })).toBe('fits')
  })
})
