import { describe, expect, test } from 'vitest'
import { checkAnswer, checkArgs } from './check-args.ts'
import { CallFailed } from './port.ts'

function complaint(work: () => unknown): unknown {
  try {
    work()
    return 'fits'
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error
    return error.message
  }
}
const check = (schema: Record<string, unknown>, args: Record<string, unknown>) =>
  complaint(() => checkArgs('s.add', schema, args))

/** Of a schema as it comes over the wire, where `__proto__` is a name like any other. */
const named = (names: string[]) =>
  JSON.parse(`{${names.map((name) => `"${name}": {"type": "string"}`).join()}}`) as object

describe('arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      a: { type: 'integer', minimum: 1 },
      mode: { enum: ['fast', 'slow', 3] },
      mail: { type: 'string', format: 'email' },
      deep: { type: 'object', properties: { 'b/c': { type: 'string' } }, additionalProperties: false },
    },
    required: ['a'],
  }

  test.each([
    [{ a: 1 }, 'fits'],
    [{ a: 1, mode: 3, mail: 'a@b.example', deep: { 'b/c': '' }, more: true }, 'fits'],
    [{}, 'args.a is needed'],
    [{ a: 'x' }, 'args.a must be integer'],
    [{ a: 0 }, 'args.a must be >= 1'],
    [{ a: 1, mode: 'x' }, 'args.mode must be one of fast, slow, 3'],
    [{ a: 1, mail: 'x' }, 'args.mail must match format'],
    [{ a: 1, deep: { 'b/c': 1 } }, 'args.deep.b/c must be string'],
    [{ a: 1, deep: { x: 1 } }, 'args.deep.x is not known'],
  ])('%j: %s', (args, told) => {
    expect(check(schema, args)).toContain(told)
  })

  test('are told all that is wrong with them at once', () => {
    const told = check(schema, { mode: 'x', mail: 1 })
    for (const field of ['args.a', 'args.mode', 'args.mail']) expect(told).toContain(field)
  })

  test('are not what every object has', () => {
    const properties = {
      ...named(['constructor', 'toString', '__proto__', 'valueOf']),
      a: { type: 'string' },
    }
    expect(check({ type: 'object', properties }, { a: 'x' })).toBe('fits')
    expect(check({ type: 'object', properties }, { constructor: 1 })).toContain(
      'args.constructor must be string',
    )
    const required = ['toString', '__proto__']
    expect(check({ type: 'object', required }, {})).toContain('args.toString is needed')
    expect(check({ type: 'object', required }, JSON.parse('{"toString": 1}'))).toContain(
      'args.__proto__ is needed',
    )
    const dependent = { type: 'object', dependentRequired: { constructor: ['a'] } }
    expect(check(dependent, {})).toBe('fits')
  })

  test('are left as they are', () => {
    const args = { a: '1' }
    const schema = { type: 'object', properties: { a: {}, b: { default: 2 } } }
    expect(check(schema, args)).toBe('fits')
    expect(args).toEqual({ a: '1' })
  })

  test('that are too many or too deep are refused', () => {
    expect(check({ type: 'object' }, { a: 'x'.repeat(17 * 1024 * 1024) })).toContain('larger than 16 MB')
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as Record<string, unknown>
    expect(check({ type: 'object' }, deep)).toContain('nested deeper')
  })

  test('of which millions are wrong are told of the first', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string' } } } }
    expect(check(schema, { a: Array.from({ length: 1_000_000 }, () => 1) })).toContain(
      'args.a.0 must be string',
    )
  })
})

describe('a schema', () => {
  const fitting = (schema: Record<string, unknown>) => check({ type: 'object', ...schema }, { a: 'x' })

  test('of an older version is read by its rules', () => {
    const tuple = { properties: { a: { type: 'array', items: [{ type: 'string' }] } } }
    const old = { type: 'object', $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }
    expect(check(old, { a: ['x'] })).toBe('fits')
    expect(check(old, { a: [1] })).toContain('args.a.0 must be string')
    expect(check({ type: 'object', ...tuple }, { a: [1] })).toContain('args.a.0 must be string')
  })

  test.each([
    ['keywords nobody knows', { 'x-secret': true, properties: { a: { widget: 'text', format: 'colour' } } }],
    ['a pattern without unicode', { properties: { a: { pattern: '^[\\w-.]+$' } } }],
    ['the name of another one', { $id: 'urn:one', properties: { a: { type: 'string' } } }],
  ])('with %s is followed', (_, schema) => {
    expect(fitting(schema)).toBe('fits')
  })

  test.each([
    ['a reference to elsewhere', { properties: { a: { $ref: 'http://127.0.0.1:9/schema.json' } } }],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }],
    ['a broken pattern', { properties: { a: { pattern: '(' } } }],
    ['a type nobody knows', { properties: { a: { type: 'text' } } }],
    ['a reference to itself', { properties: { a: { $ref: '#/properties/a' } } }],
  ])('with %s binds nobody but for what is needed', (_, schema) => {
    expect(fitting({ ...schema, required: ['a', 'b'] })).toContain('args.b is needed')
    expect(fitting({ ...schema, required: ['a'] })).toBe('fits')
  })

  test('whose pattern takes for ever is stopped, and then followed only in outline', () => {
    const properties = { a: { type: 'string', pattern: '^(a+)+$' } }
    const schema = { type: 'object', properties, required: ['a', 'b'] }
    const args = { a: `${'a'.repeat(40)}!`, b: 1 }
    expect(check(schema, { a: 'b', b: 1 })).toContain('args.a must match pattern')
    for (let time = 0; time < 2; time += 1) expect(check(schema, args)).toContain('take too long')
    expect(check(schema, args)).toBe('fits')
    expect(check(schema, { a: args.a })).toContain('args.b is needed')
  })

  test('whose references double at every step is given up', () => {
    const steps = Array.from({ length: 40 }, (_, at): [string, unknown] => [
      `d${at + 1}`,
      { allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] },
    ])
    const $defs = { d0: { type: 'string' }, ...Object.fromEntries(steps) }
    const schema = { type: 'object', $defs, properties: { a: { $ref: '#/$defs/d40' } } }
    expect(check(schema, { a: 'x' })).toContain('take too long')
  })
})

describe('a large value that a schema has much to say of', () => {
  const words = (many: number) => Array.from({ length: many }, (_, at) => `word${at}`)
  const last = (many: number, word: string) => ({ a: Array.from({ length: many }, () => word) })
  const listOf = (items: object) => ({ type: 'object', properties: { a: { type: 'array', items } } })
  const schemas = [
    ['a long enum', listOf({ enum: words(20_000) }), 'word19999'],
    ['many alternatives', listOf({ anyOf: words(1_000).map((word) => ({ const: word })) }), 'word999'],
  ] as const

  test.each(schemas)('by %s does not hold others up: arguments', (_, schema, word) => {
    expect(check(schema, last(150_000, word))).toContain('take too long')
  })

  test.each(schemas)('by %s does not hold others up: an answer', (_, schema, word) => {
    const answer = { structuredContent: last(150_000, word) }
    expect(complaint(() => checkAnswer('s.add', { ...schema }, answer))).toContain('too long to be checked')
  })

  test('is checked all the same where it is not too much', () => {
    const schema = listOf({ enum: words(2_000) })
    expect(check(schema, last(2_000, 'word1999'))).toBe('fits')
    expect(check(schema, last(2_000, 'none'))).toContain('args.a.0 must be one of word0')
  })
})

describe('an answer', () => {
  const schema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }
  test.each([
    [{ structuredContent: { sum: 3 } }, 'fits'],
    [{ structuredContent: { sum: 'three' } }, 'structuredContent.sum must be number'],
    [{ structuredContent: {} }, 'structuredContent.sum is needed'],
    [{}, 'without structured content'],
  ])('%j: %s', (answer, told) => {
    expect(complaint(() => checkAnswer('s.add', schema, answer))).toContain(told)
  })

  test('that is deeper than its schema can be followed is one that lies', () => {
    const tree = { type: 'object', properties: { a: { $ref: '#' } } }
    let deep = {}
    for (let at = 0; at < 100_000; at += 1) deep = { a: deep }
    expect(complaint(() => checkAnswer('s.add', tree, { structuredContent: deep }))).toContain('too long')
  })
})
