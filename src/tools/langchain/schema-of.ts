import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { fromZod3 } from './from-zod3.ts'

type Schema = Record<string, unknown>

/** The arguments of a tool as JSON Schema. */
export interface Arguments {
  schema: Schema
  /** It takes one value that is no object: that is the argument `input`. */
  isSingle: boolean
}

/** `modulePath` is the module that the tool is from: it may have brought converters with it. */
export async function argumentsOf(given: unknown, modulePath: string): Promise<Arguments> {
  const { $schema: _, ...schema } = isRecord(given)
    ? await asJsonSchema(given, modulePath)
    : { type: 'object' }
  const isObject = schema['type'] === 'object' || (schema['type'] === undefined && !isAlternative(schema))
  if (isObject) return { schema: { ...schema, type: 'object' }, isSingle: false }
  return { schema: { type: 'object', properties: { input: schema }, required: ['input'] }, isSingle: true }
}

const isAlternative = (schema: Schema) =>
  ['anyOf', 'oneOf', 'enum', 'const'].some((keyword) => keyword in schema)

async function asJsonSchema(given: Schema, modulePath: string): Promise<Schema> {
  if (isRecord(given['_zod']))
    return z.toJSONSchema(given as unknown as z.ZodType, { io: 'input', unrepresentable: 'any' })
  const standard = standardSchema(given)
  if (standard) return standard
  if (isRecord(given['_def'])) return (await byOwnConverter(given, modulePath)) ?? fromZod3(given)
  return given
}

/** What can tell its own JSON Schema, whatever library it is from (standardschema.dev). */
function standardSchema(given: Schema): Schema | undefined {
  const standard = given['~standard']
  if (!isRecord(standard) || !isRecord(standard['jsonSchema'])) return undefined
  const { input } = standard['jsonSchema']
  const told: unknown = typeof input === 'function' ? input({ target: 'draft-2020-12' }) : undefined
  return isRecord(told) ? told : undefined
}

const converters = [
  ['@langchain/core/utils/json_schema', 'toJsonSchema'],
  ['zod-to-json-schema', 'zodToJsonSchema'],
] as const

async function byOwnConverter(given: Schema, modulePath: string): Promise<Schema | undefined> {
  for (const [specifier, name] of converters) {
    try {
      const path = createRequire(modulePath).resolve(specifier)
      const converter = (await import(pathToFileURL(path).href)) as Record<string, unknown>
      const convert = converter[name]
      const told: unknown = typeof convert === 'function' ? convert(given) : undefined
      // What cannot be converted is given back as it was.
      if (isRecord(told) && told !== given) return told
    } catch {
      // It has brought none, or one that does not know this kind.
    }
  }
  return undefined
}

const isRecord = (value: unknown): value is Schema =>
  (typeof value === 'object' || typeof value === 'function') && value !== null && !Array.isArray(value)
