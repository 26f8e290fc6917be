import { expect, it } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import { argumentsOf } from './schema-of.ts'

const here = import.meta.filename
const fields = {
  name: { type: 'string', description: 'Whose' },
  count: { type: 'integer' },
  tags: { type: 'array', items: { type: 'string' } },
  kind: { enum: ['cat', 'dog'] },
}

it('takes JSON Schema as it is', async () => {
  const schema = { type: 'object', properties: fields, required: ['name'] }
  expect(await argumentsOf(schema, here)).toEqual({ schema, isSingle: false })
  expect(await argumentsOf(undefined, here)).toEqual({ schema: { type: 'object' }, isSingle: false })
})

it('understands zod 4, and what it takes rather than what it makes of it', async () => {
  const given = z
    .object({
      name: z.string().describe('Whose'),
      count: z.int().default(1),
      size: z.string().transform(Number),
    })
    .transform(({ name }) => name)
  const { schema } = await argumentsOf(given, here)
  expect(schema).toMatchObject({
    type: 'object',
    properties: { name: fields.name, count: { type: 'integer', default: 1 }, size: { type: 'string' } },
    required: ['name', 'size'],
  })
  expect(schema).not.toHaveProperty('$schema')
})

it('understands zod 3 without its converters', async () => {
  const given = z3
    .object({
      name: z3.string().describe('Whose'),
      count: z3.number().int().optional(),
      tags: z3.array(z3.string()).default([]),
      kind: z3.enum(['cat', 'dog']),
      either: z3.union([z3.string(), z3.null()]),
      deep: z3.object({ on: z3.boolean().nullable() }).strict(),
      map: z3.record(z3.number()),
      pair: z3.tuple([z3.literal('x'), z3.any()]),
    })
    .refine(() => true)
  expect((await argumentsOf(given, '/nowhere/tools.mjs')).schema).toEqual({
    type: 'object',
    properties: {
      ...fields,
      either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      deep: {
        type: 'object',
        properties: { on: { anyOf: [{ type: 'boolean' }, { type: 'null' }] } },
        required: ['on'],
      },
      map: { type: 'object', additionalProperties: { type: 'number' } },
      pair: { type: 'array', prefixItems: [{ const: 'x' }, {}] },
    },
    required: ['name', 'kind', 'either', 'deep', 'map', 'pair'],
  })
})

it('comes to an end in a schema of zod 3 that contains itself', async () => {
  const tree: z3.ZodTypeAny = z3.object({ children: z3.lazy(() => z3.array(tree)) })
  expect((await argumentsOf(tree, '/nowhere/tools.mjs')).schema).toMatchObject({
    type: 'object',
    required: ['children'],
  })
})

it('makes one argument of a value that is no object', async () => {
  expect(await argumentsOf(z.string(), here)).toEqual({
    schema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
    isSingle: true,
  })
})
