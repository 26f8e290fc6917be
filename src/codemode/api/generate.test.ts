import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CheckProject } from '../check/project.ts'
import { generateApi } from './generate.ts'
import type { ApiTool } from './generate.ts'

let project: CheckProject
beforeAll(() => {
  project = new CheckProject()
})
afterAll(() => project.close())

const runs = 30

const tool = (name: string, inputSchema: object = {}, more: Partial<ApiTool> = {}): ApiTool => ({
  name,
  description: '',
  inputSchema: inputSchema as Record<string, unknown>,
  deprecated: false,
  ...more,
})
const complaints = (tools: readonly ApiTool[]) =>
  project.checkDeclarations(generateApi(tools).text).map(({ message }) => message)
const found = (tools: readonly ApiTool[], code: string) => {
  const { syntax, types } = project.check(generateApi(tools).text, code)
  return [...syntax, ...types].map(({ message }) => message)
}

/** Any schema, sensible or not: words of JSON Schema with values that fit them, and with such that do not. */
const anySchema = fc.letrec<{ schema: unknown }>((tie) => {
  const name = fc.oneof(
    fc.constantFrom(
      'a',
      'b-c',
      'b_c',
      'class',
      'this',
      '__proto__',
      'constructor',
      '1st',
      'größe',
      '*/',
      '"',
      '\u2028',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  )
  const text = fc.oneof(
    fc.constantFrom('*/ evil', '/* ', '`${x}`', '\u2028\u2029\r\n'),
    fc.string({ unit: 'binary' }),
  )
  const part = tie('schema')
  const words = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array', 'nonsense'),
        fc.array(fc.constantFrom('string', 'null', 'object'), { maxLength: 3 }),
      ),
      description: text,
      default: fc.jsonValue({ maxDepth: 1 }),
      examples: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
      format: text,
      deprecated: fc.boolean(),
      nullable: fc.boolean(),
      properties: fc.dictionary(name, part, { maxKeys: 4 }),
      required: fc.array(name, { maxLength: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), part),
      patternProperties: fc.dictionary(name, part, { maxKeys: 2 }),
      items: fc.oneof(part, fc.array(part, { maxLength: 3 })),
      prefixItems: fc.array(part, { maxLength: 3 }),
      minItems: fc.nat(3),
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
      const: fc.jsonValue({ maxDepth: 1 }),
      anyOf: fc.array(part, { maxLength: 3 }),
      oneOf: fc.array(part, { maxLength: 3 }),
      allOf: fc.array(part, { maxLength: 3 }),
      $ref: fc.oneof(fc.constantFrom('#', '#/$defs/a', '#/properties/a', '#a', 'http://x', '#/%'), text),
      $defs: fc.dictionary(fc.constantFrom('a', 'b'), part, { maxKeys: 2 }),
    },
    { requiredKeys: [] },
  )
  return { schema: fc.oneof({ maxDepth: 3 }, fc.boolean(), words) }
}).schema

const anyInput = anySchema.map((schema) => (typeof schema === 'object' ? (schema as object) : {}))

describe('the API that is generated', () => {
  it('is valid TypeScript by itself, whatever the schemas are', () => {
    const anyTools = fc.array(fc.tuple(anyInput, fc.option(anyInput), fc.string({ unit: 'binary' })), {
      minLength: 5,
      maxLength: 10,
    })
    fc.assert(
      fc.property(anyTools, (all) => {
        const tools = all.map(([input, output, description], at) =>
          tool(`some.tool_${at}`, input, {
            description,
            ...(output ? { outputSchema: output as Record<string, unknown> } : {}),
          }),
        )
        expect(complaints(tools)).toEqual([])
      }),
      { numRuns: runs },
    )
  }, 60_000)

  it('has a member of its own for each tool, whatever they are called, and finds the tool by it', () => {
    const odd = fc.constantFrom(
      'then',
      'export',
      'delete',
      'constructor',
      '__proto__',
      '1',
      'a-b',
      'aB',
      'a b',
      'A',
      'a',
      '$',
      '_',
      'ä',
      '',
    )
    const name = fc.tuple(
      fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 5 })),
      fc.oneof(odd, fc.string({ unit: 'binary', maxLength: 5 })),
    )
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { minLength: 5, maxLength: 40, selector: (one) => one.join('.') }),
        (names) => {
          const tools = names.map(([namespace, short]) => tool(`${namespace.replaceAll('.', '')}.${short}`))
          const distinct = new Set(tools.map((one) => one.name))
          const api = generateApi(tools)
          const paths = [...api.namespaces].flatMap(([member, { tools: own }]) =>
            [...own].map(([short, { name: of }]) => [`${member}.${short}`, of] as const),
          )
          expect(new Set(paths.map(([, of]) => of))).toEqual(distinct)
          expect(new Set(paths.map(([path]) => path)).size).toBe(distinct.size)
          for (const [path, of] of paths) expect(api.toolOf(path)).toBe(of)
          for (const [path] of paths)
            expect(path).not.toMatch(/(^|\.)(then|toJSON|__proto__|constructor)($|\.)/)
          expect(complaints(tools)).toEqual([])
        },
      ),
      { numRuns: runs },
    )
  }, 60_000)

  it('does not depend on the order of the tools', () => {
    const tools = ['x.a-b', 'x.aB', 'x.a_b', 'y.one', 'Y.one'].map((name) => tool(name))
    expect(generateApi(tools.toReversed()).text).toBe(generateApi(tools).text)
    expect(generateApi(tools).toolOf('x.aB')).toBe('x.aB')
    expect(generateApi(tools).toolOf('x.aB_2')).toBe('x.a-b')
  })

  it('takes one object, or values one after the other, and complains about others', () => {
    const tools = [
      tool('git.log', {
        type: 'object',
        properties: {
          path: { type: 'string' },
          class: { type: 'number' },
          since: { type: ['string', 'null'] },
        },
        required: ['path', 'since'],
      }),
    ]
    expect(found(tools, 'await mcp.git.log({ path: "a", since: null })')).toEqual([])
    expect(found(tools, 'await mcp.git.log("a", undefined, "b")')).toEqual([])
    expect(found(tools, 'await mcp.git.log("a", 5, null)')).toEqual([])
    expect(found(tools, 'await mcp.git.log({ path: 5, since: null })')).toHaveLength(1)
    expect(found(tools, 'await mcp.git.log("a")')).toHaveLength(1)
    expect(found(tools, 'await mcp.git.log()')).toHaveLength(1)
  })

  it('knows what comes back, and lets what is not known be used', () => {
    const outputSchema = {
      type: 'object',
      properties: { items: { type: 'array', items: { $ref: '#/$defs/item' } }, more: {} },
      required: ['items', 'more'],
      $defs: {
        item: {
          type: 'object',
          properties: { id: { type: 'number' }, next: { $ref: '#/$defs/item' } },
          required: ['id'],
        },
      },
    }
    const tools = [tool('a.list', {}, { outputSchema }), tool('a.free')]
    expect(
      found(
        tools,
        'const { items, more } = await mcp.a.list(); return [items[0]!.id.toFixed(), more.any.thing]',
      ),
    ).toEqual([])
    expect(found(tools, 'const { items } = await mcp.a.list({}); return items[0]!.name')).toHaveLength(1)
    expect(found(tools, 'return (await mcp.a.free()).any.thing')).toEqual([])
  })

  it('stays small for schemas that grow by themselves', () => {
    const wide = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`p${at}`, { $ref: `#/$defs/d${at}` }]),
    )
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`d${at}`, { type: 'object', properties: wide }]),
    )
    const { text } = generateApi([tool('a.b', { type: 'object', properties: wide, $defs })])
    expect(text.length).toBeLessThan(100_000)
  })

  it('can be checked, however many ways there are to put a schema together', () => {
    const either = (at: number) => ({
      anyOf: ['a', 'b'].map((name) => ({
        type: 'object',
        properties: { [`${name}${at}`]: { type: 'string' } },
        required: [`${name}${at}`],
      })),
    })
    const many = { allOf: Array.from({ length: 50 }, (_, at) => either(at)) }
    const tools = [tool('a.b', many), tool('a.c', { anyOf: [many, { allOf: [many, many, either(60)] }] })]
    expect(complaints(tools)).toEqual([])
    expect(found(tools, 'await mcp.a.b({ a0: "x", b1: "y" } as any); await mcp.a.c({} as any)')).toEqual([])
    expect(found(tools, 'await mcp.a.b({ b1: "y" })')).toHaveLength(1)
  })

  it('understands the words that tell objects, lists and choices', () => {
    const typed = (schema: object) =>
      /args\??: (.*)\): Promise/.exec(
        generateApi([tool('a.b', { type: 'object', properties: { x: schema } })]).text,
      )?.[1]
    expect(typed({ enum: ['a', 1, null] })).toBe('{ x?: "a" | 1 | null }')
    expect(typed({ type: 'array', items: { enum: ['a', 'b'] } })).toBe('{ x?: ("a" | "b")[] }')
    expect(
      typed({ anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }, { type: 'null' }] }),
    ).toBe('{ x?: { a?: string } | null }')
    expect(
      typed({ items: [{ type: 'string' }, { type: 'number' }], additionalItems: false, minItems: 1 }),
    ).toBe('{ x?: [string, number?] }')
    expect(typed({ prefixItems: [{ type: 'string' }], items: { type: 'number' }, minItems: 1 })).toBe(
      '{ x?: [string, ...number[]] }',
    )
    expect(typed({ type: 'object', patternProperties: { '^a': { type: 'number' } } })).toBe(
      '{ x?: Record<string, number> }',
    )
    expect(typed({ type: 'string', nullable: true })).toBe('{ x?: string | null }')
    expect(typed({ allOf: [{ properties: { a: { type: 'string' } } }, { required: ['a'] }] })).toBe(
      '{ x?: { a?: string } & { a: unknown } }',
    )
    expect(
      typed({ type: 'string', format: 'date-time', default: 'now', description: 'When */ it was' }),
    ).toBe('{ /** When * / it was @format date-time @default "now" */ x?: string }')
  })
})
