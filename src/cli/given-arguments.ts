import type { ArgsSchema } from '#contract/capability.ts'
import { Failure } from './failure.ts'

type Arguments = Record<string, unknown>

/**
 * What `--args` and `--arg` give together, each value of the type that the schema asks for. `--arg` wins; of a list it gives one
 * element, and the next one when it is said again.
 */
export function givenArguments(
  schema: ArgsSchema,
  whole: string | undefined,
  single: string[],
  option = '--arg',
): Arguments {
  const given = whole === undefined ? {} : parseWhole(whole)
  const lists = new Map<string, unknown[]>()
  for (const pair of single) {
    const at = pair.indexOf('=')
    if (at < 1) throw new Failure(`${option} "${pair}" has no value: write ${option} name=value`)
    const name = pair.slice(0, at)
    const property = propertyOf(schema, name)
    const types = typesOf(property)
    const isList = types.includes('array') && !types.includes('string')
    const value = typed(
      `${option} ${name}`,
      pair.slice(at + 1),
      isList ? typesOf(property?.['items']) : types,
    )
    if (isList) lists.set(name, [...(lists.get(name) ?? []), value])
    given[name] = isList ? lists.get(name) : value
  }
  return given
}

function parseWhole(text: string): Arguments {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Failure(`--args is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw new Failure('--args must be a JSON object, for example \'{"path": "src"}\'')
}

function typed(name: string, text: string, types: readonly unknown[]): unknown {
  const wantsNumber = types.includes('number') || types.includes('integer')
  const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
  if (wantsNumber && number !== undefined && (types.includes('number') || Number.isInteger(number)))
    return number
  if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true'
  if (types.length === 0 || types.includes('string')) return text
  throw new Failure(`${name}: "${text}" is not of type ${types.join(' or ')}`)
}

function propertyOf(schema: ArgsSchema, name: string): Arguments | undefined {
  const properties: unknown = schema['properties']
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isObject(property) ? property : undefined
}

function typesOf(schema: unknown): readonly unknown[] {
  const type = isObject(schema) ? schema['type'] : undefined
  return Array.isArray(type) ? type : type === undefined ? [] : [type]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
