import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import type { Document, Node } from './document.ts'
import { operationsOf } from './operations.ts'

const text = { type: 'string' }
const withBody = (schema: unknown, more: Node = {}) => ({
  requestBody: { required: true, content: { 'application/json': { schema } }, ...more },
})

function documentOf(paths: Node, more: Node = {}, is30 = true): Document {
  const servers = [{ url: 'https://api.example.com/v1' }]
  return { root: { servers, paths, ...more }, is30, title: 'An API', version: '1.2.3' }
}
async function onlyTool(operation: Node, more: Node = {}, is30 = true) {
  const { found, told } = await operationsOf(documentOf({ '/a': { post: operation } }, more, is30))
  const [planned] = found.values()
  return { told, ...planned, input: planned?.offered.inputSchema, output: planned?.offered.outputSchema }
}
const schemasOf = (schemas: Node) => ({ components: { schemas } })

it('makes one tool of each operation', async () => {
  const { found, told } = await operationsOf(
    documentOf({
      '/pets/{petId}': {
        parameters: [{ name: 'petId', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'pets/get', summary: 'One pet', description: 'All of it.', tags: ['pets'] },
        delete: { deprecated: true },
        put: {},
      },
    }),
  )
  expect(told).toEqual([])
  expect([...found.keys()]).toEqual(['pets_get', 'put_pets_petId', 'delete_pets_petId'])
  expect(found.get('pets_get')!.offered).toEqual({
    name: 'pets_get',
    title: 'One pet',
    description: 'One pet\n\nAll of it.\n\nGET https://api.example.com/v1/pets/{petId}',
    inputSchema: {
      type: 'object',
      properties: { petId: { type: 'integer' } },
      additionalProperties: false,
      required: ['petId'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    version: '1.2.3',
    tags: ['pets'],
    deprecated: false,
  })
  const { annotations, deprecated, description } = found.get('delete_pets_petId')!.offered
  expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
  expect([deprecated, description]).toEqual([
    true,
    'Deprecated.\n\nDELETE https://api.example.com/v1/pets/{petId}',
  ])
  expect(found.get('put_pets_petId')!.offered.annotations).toMatchObject({ idempotentHint: true })
})

it('puts the properties of a body beside the parameters', async () => {
  const { input } = await onlyTool({
    parameters: [{ name: 'dry', in: 'query', description: 'Only tell', schema: { type: 'boolean' } }],
    ...withBody({ type: 'object', required: ['name'], properties: { name: text, tag: text } }),
  })
  expect(input).toEqual({
    type: 'object',
    properties: { dry: { type: 'boolean', description: 'Only tell' }, name: text, tag: text },
    additionalProperties: false,
    required: ['name'],
  })
})

it.each<[string, Node, Node]>([
  ['has the name of a parameter', { type: 'object', properties: { dry: text } }, {}],
  ['is no object', { type: 'array', items: text }, {}],
  ['takes any property', { type: 'object', properties: { a: text }, additionalProperties: text }, {}],
  ['is one of several', { oneOf: [{ type: 'object' }, text] }, {}],
  [
    'may be missing, but not in part',
    { type: 'object', required: ['a'], properties: { a: text } },
    { required: false },
  ],
])('makes one argument of a body that %s', async (_, schema, more) => {
  const { input, body } = await onlyTool({
    parameters: [{ name: 'dry', in: 'query', schema: text }],
    ...withBody(schema, more),
  })
  expect(input).toMatchObject({ properties: { dry: text, body: schema } })
  expect(input!['required']).toEqual(more['required'] === false ? undefined : ['body'])
  expect(body!.arguments).toBe('body')
})

it('tells parameters of the same name apart by their place', async () => {
  const id = (place: string) => ({ name: 'id', in: place, required: true, schema: text })
  const { found } = await operationsOf(
    documentOf({ '/a/{id}': { get: { parameters: [id('header'), id('query'), id('path')] } } }),
  )
  const parameters = found.get('get_a_id')!.parameters.map(({ argument, in: place }) => [argument, place])
  expect(parameters).toEqual([
    ['id', 'path'],
    ['query_id', 'query'],
    ['header_id', 'header'],
  ])
})

it('leaves what is ours to say out of the arguments', async () => {
  const header = (name: string) => ({ name, in: 'header', required: true, schema: text })
  const names = [
    'Authorization',
    'Content-Type',
    'accept',
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'X-Mine',
  ]
  const { input } = await onlyTool({ parameters: names.map(header) })
  expect(Object.keys(input!['properties'] as Node)).toEqual(['X-Mine'])
})

it('says in the words of JSON Schema what OpenAPI 3.0 says in its own', async () => {
  const schemas = { Pet: { type: 'object' } }
  const properties = {
    a: { type: 'string', nullable: true, enum: ['x'], example: 'x', xml: {}, 'x-more': 1 },
    b: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
    c: { allOf: [{ $ref: '#/components/schemas/Pet' }], nullable: true },
    d: { type: 'string', format: 'binary' },
    e: { type: 'string', pattern: '(?i)[a' },
  }
  const { input } = await onlyTool(withBody({ type: 'object', properties }), schemasOf(schemas))
  expect(input!['properties']).toEqual({
    a: { type: ['string', 'null'], enum: ['x', null] },
    b: { type: 'number', exclusiveMinimum: 1, maximum: 5 },
    c: { anyOf: [{ allOf: [{ $ref: '#/$defs/Pet' }] }, { type: 'null' }] },
    d: { type: 'string', contentEncoding: 'base64' },
    e: { type: 'string' },
  })
})

it('lets what stands beside a reference count from 3.1 on', async () => {
  const operation = withBody({
    type: 'object',
    properties: { a: { $ref: '#/components/schemas/A', maxLength: 3 } },
  })
  const more = schemasOf({ A: text })
  expect((await onlyTool(operation, more, false)).input!['properties']).toEqual({
    a: { $ref: '#/$defs/A', maxLength: 3 },
  })
  expect((await onlyTool(operation, more, true)).input!['properties']).toEqual({ a: { $ref: '#/$defs/A' } })
})

it('asks for nothing that is only ever answered, and answers nothing that is only ever sent', async () => {
  const Pet = {
    type: 'object',
    required: ['id', 'name', 'secret'],
    properties: { id: { type: 'integer', readOnly: true }, name: text, secret: { ...text, writeOnly: true } },
  }
  const pet = { $ref: '#/components/schemas/Pet' }
  const responses = { 200: { content: { 'application/json': { schema: pet } } } }
  const { input, output } = await onlyTool({ ...withBody(pet), responses }, schemasOf({ Pet }))
  expect([input!['properties'], input!['required']]).toEqual([
    { name: text, secret: text },
    ['name', 'secret'],
  ])
  expect(output).toEqual({
    type: 'object',
    required: ['id', 'name'],
    properties: { id: { type: 'integer' }, name: text },
  })
})

it('keeps recursive schemas as they are, and they can be checked with', async () => {
  const Comment = {
    type: 'object',
    required: ['text'],
    properties: { text, replies: { type: 'array', items: { $ref: '#/components/schemas/Comment' } } },
  }
  const Tree = { oneOf: [text, { type: 'array', items: { $ref: '#/components/schemas/Tree' } }] }
  const body = {
    type: 'object',
    properties: {
      top: { $ref: '#/components/schemas/Comment' },
      tree: { $ref: '#/components/schemas/Tree' },
    },
  }
  const { input, told } = await onlyTool(withBody(body), schemasOf({ Comment, Tree }))
  expect([told, Object.keys(input!['$defs'] as Node)]).toEqual([[], ['Comment', 'Tree']])
  const validate = new Ajv2020({ strict: false }).compile(input!)
  expect(validate({ top: { text: 'a', replies: [{ text: 'b', replies: [] }] }, tree: [['x'], 'y'] })).toBe(
    true,
  )
  expect(validate({ top: { text: 'a', replies: [{ replies: [] }] } })).toBe(false)
  expect(validate({ tree: [[1]] })).toBe(false)
})

const refTo = (name: string) => ({ $ref: `#/components/schemas/${name}` })
it.each<[string, Node, Node, RegExp]>([
  ['goes in a circle', refTo('A'), { A: refTo('B'), B: refTo('A') }, /refers to itself/],
  [
    'is only itself',
    { type: 'object', properties: { a: refTo('A') } },
    { A: { allOf: [refTo('A')] } },
    /nothing but itself/,
  ],
  [
    'is only itself by others',
    { type: 'array', items: refTo('A') },
    { A: { anyOf: [text, refTo('B')] }, B: { not: refTo('A') } },
    /nothing but itself/,
  ],
  [
    'is not there',
    { type: 'array', items: refTo('Missing') },
    {},
    /"#\/components\/schemas\/Missing", which is not there/,
  ],
  [
    'is not there, further down',
    { type: 'array', items: refTo('A') },
    { A: { items: refTo('Missing') } },
    /Missing", which is not there/,
  ],
  ['is in another file', { $ref: 'other.yaml#/A' }, {}, /only references inside the document/],
  [
    'is elsewhere',
    { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
    {},
    /only references inside the document/,
  ],
  ['is a file of ours', { $ref: 'file:///etc/passwd' }, {}, /only references inside the document/],
  ['is no schema', { type: 'strng' }, {}, /one of its schemas is none/],
  ['is no object', { type: 'array', items: 5 }, {}, /is no object/],
])('leaves out an operation whose schema %s, and the others work', async (_, schema, schemas, why) => {
  const paths = { '/bad': { post: withBody(schema) }, '/good': { get: {} } }
  const { found, told } = await operationsOf(documentOf(paths, schemasOf(schemas)))
  expect([...found.keys()]).toEqual(['get_good'])
  expect(told).toHaveLength(1)
  expect(told[0]).toMatch(/^POST \/bad: left out, for /)
  expect(told[0]).toMatch(why)
})

it('leaves out what cannot be called, and tells it', async () => {
  const { found, told } = await operationsOf(
    documentOf({
      'no-slash': { get: {} },
      '/slot/{id}': { get: {} },
      '/query?a=b': { get: {} },
      '/xml': { post: { requestBody: { required: true, content: { 'application/xml': {} } } } },
      '/list': [],
      '/text': { get: 'x' },
      '/place': { get: { parameters: [{ name: 'a', in: 'body' }] } },
      '/style': { get: { parameters: [{ name: 'a', in: 'query', style: 'matrix' }] } },
      '/scheme': { get: { security: [{ missing: [] }] } },
      '/server': { get: { servers: [{ url: 'ftp://example.com' }] } },
      '/variable': { get: { servers: [{ url: 'https://{host}' }] } },
      '/loop': { $ref: '#/paths/~1loop' },
      '/good': { get: {} },
    }),
  )
  expect([...found.keys()]).toEqual(['get_good'])
  expect(told.map((line) => line.split(': left out, for ')[0])).toEqual([
    'GET no-slash',
    'GET /slot/{id}',
    'GET /query?a=b',
    'POST /xml',
    '/list',
    'GET /text',
    'GET /place',
    'GET /style',
    'GET /scheme',
    'GET /server',
    'GET /variable',
    '/loop',
  ])
})

it('gives each operation a name of its own', async () => {
  const { found, told } = await operationsOf(
    documentOf({
      '/a': { get: { operationId: 'same' }, post: { operationId: 'same' } },
      '/a-b': { get: {} },
      '/a/b': { get: {} },
      '/a.b': { get: {} },
    }),
  )
  expect([...found.keys()]).toEqual(['same', 'post_a', 'get_a-b', 'get_a_b'])
  expect(told).toEqual([
    'POST /a: called post_a, for the operationId "same" is taken by another operation',
    'GET /a.b: left out, for its name "get_a_b" is taken by another operation',
  ])
})

it('promises the shape of an answer only where there is one', async () => {
  const object = {
    type: 'object',
    properties: { a: { type: 'string', enum: ['x'] } },
    additionalProperties: false,
  }
  const answers = async (responses: Node) => (await onlyTool({ responses })).output
  const json = (schema: unknown) => ({ content: { 'application/json': { schema } } })
  expect(await answers({ 200: json(object), 404: json(text) })).toEqual({
    type: 'object',
    properties: { a: { type: ['string', 'null'] } },
  })
  expect(await answers({ 200: json({ type: 'array', items: text }) })).toBeUndefined()
  expect(await answers({ 200: json(object), 204: {} })).toBeUndefined()
  expect(await answers({ 200: { content: { 'text/html': { schema: object } } } })).toBeUndefined()
  expect(await answers({ 200: json({ $ref: '#/missing' }) })).toBeUndefined()
})

it('reads ten thousand operations that share a thousand schemas', async () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `S${index}`)
  const schemas = Object.fromEntries(
    names.map((name, index) => [
      name,
      { type: 'object', properties: { next: refTo(names[(index + 1) % 1_000]!), name: text } },
    ]),
  )
  const operation = withBody({ type: 'object', properties: { first: refTo('S0') } })
  const paths = Object.fromEntries(
    Array.from({ length: 10_001 }, (_, index) => [`/p${index}`, { post: operation }]),
  )
  const { found, told } = await operationsOf(documentOf(paths, schemasOf(schemas)))
  // Every one of them needs all schemas: what would be too much together is left out, and told.
  expect(found.size).toBeGreaterThan(500)
  expect(told).toHaveLength(10_001 - found.size)
  const small = await operationsOf(
    documentOf(Object.fromEntries(Object.keys(paths).map((path) => [path, { get: {} }]))),
  )
  expect([small.found.size, small.told]).toEqual([
    10_000,
    ['GET /p10000: left out, for it is beyond the first 10000 operations'],
  ])
})
