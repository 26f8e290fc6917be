import { describe, expect, it } from 'vitest'
import { isFilled, problemsIn, problemsWithin, schemaContent } from './schema-content.ts'
import { schemaFields } from './schema-fields.ts'

const schema = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', minLength: 3 },
    place: {
      type: 'object',
      required: ['file'],
      properties: { file: { type: 'string' }, line: { $ref: '#/$defs/line' }, isNew: { type: 'boolean' } },
    },
    places: { type: 'array', items: { $ref: '#/properties/place' } },
    when: { anyOf: [{ type: 'string', title: 'When' }, { type: 'null' }], default: null },
    who: {
      oneOf: [
        {
          type: 'object',
          title: 'A user',
          required: ['kind', 'id'],
          properties: { kind: { const: 'user' }, id: { type: 'integer' } },
        },
        { type: 'object', required: ['kind'], properties: { kind: { const: 'nobody' } } },
        { type: 'string' },
      ],
    },
    tags: { type: 'array', items: { type: 'string', pattern: '^[a-z]+$' } },
    list: { type: 'array', items: { type: 'array', items: { type: 'string' } } },
  },
  $defs: { line: { type: 'integer', minimum: 1 } },
}
const fields = schemaFields(schema)
const sent = (values: object) => schemaContent(fields, { ...values })
const told = (values: object) => problemsIn(schema, fields, { ...values })

describe('a form of a schema that has schemas in it', () => {
  it('has fields in its fields', () => {
    expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
      ['title', 'text'],
      ['place', 'object'],
      ['places', 'list'],
      ['when', 'text'],
      ['who', 'either'],
      ['tags', 'several'],
      ['list', 'json'],
    ])
    expect(fields[1]?.inner.map(({ name, kind, isNeeded }) => [name, kind, isNeeded])).toEqual([
      ['file', 'text', true],
      ['line', 'integer', false],
      ['isNew', 'yes-no', false],
    ])
    expect(fields[4]?.inner.map(({ label }) => label)).toEqual(['A user', 'nobody', 'string'])
  })

  it('sends objects, lists and the shape that was chosen', () => {
    expect(sent({ title: 'abc' })).toEqual({ title: 'abc', when: null })
    expect(sent({ place: { file: '', line: '' }, places: [] })).toEqual({ when: null })
    expect(
      sent({ place: { file: 'a.ts', line: '3' }, places: [{ file: 'b' }, undefined], when: 'now' }),
    ).toEqual({ place: { file: 'a.ts', line: 3 }, places: [{ file: 'b' }, {}], when: 'now' })
    expect(sent({ who: { shape: 0, value: { id: '7' } } })).toMatchObject({ who: { kind: 'user', id: 7 } })
    expect(sent({ who: { shape: 1, value: undefined } })).toMatchObject({ who: { kind: 'nobody' } })
    expect(sent({ who: { shape: 2, value: 'Ada' } })).toMatchObject({ who: 'Ada' })
  })

  it('tells as one types what does not fit, and of what is missing only where one has begun', () => {
    const whenGiven = { when: 'now' }
    expect(told(whenGiven)).toEqual({ problems: {}, fits: false })
    expect(told({ ...whenGiven, title: '' })).toEqual({ problems: { title: 'is needed' }, fits: false })
    expect(told({ ...whenGiven, title: 'ab' }).problems).toEqual({
      title: 'must NOT have fewer than 3 characters',
    })
    expect(told({ ...whenGiven, title: 'abc' })).toEqual({ problems: {}, fits: true })
    expect(told({ ...whenGiven, title: 'abc', place: { line: '0' } }).problems).toEqual({
      'place.file': 'is needed',
      'place.line': 'must be >= 1',
    })
    expect(told({ ...whenGiven, title: 'abc', tags: 'ok\nNOT' }).problems).toEqual({
      'tags.1': 'must match pattern "^[a-z]+$"',
    })
    expect(told({ ...whenGiven, title: 'abc', who: { shape: 0, value: {} } }).problems).toEqual({
      who: 'must match exactly one schema in oneOf',
    })
    expect(problemsWithin({ 'a.b': '1', 'a.c.d': '2', ab: '3' }, 'a')).toEqual({ b: '1', 'c.d': '2' })
  })

  it('knows that all of it is there', () => {
    expect(isFilled(fields, {})).toBe(false)
    expect(isFilled(fields, { title: 'abc' })).toBe(true)
  })

  it('goes no deeper than anybody fills in', () => {
    const tree = { type: 'object', properties: { child: { $ref: '#' } } }
    let field = schemaFields(tree)[0]
    const kinds: (string | undefined)[] = []
    for (; field; field = field.inner[0]) kinds.push(field.kind)
    expect(kinds.at(-1)).toBe('json')
    expect(kinds.length).toBeLessThan(8)
  })
})
