import { docsOf } from './docs.ts'
import { propertyKey } from './names.ts'
import { isRecord, resolvedIn } from './schema.ts'
import type { Schema } from './schema.ts'

export interface TypeOptions {
  /** Whether properties are explained. */
  withDocs?: boolean
  /** What is written for what is not known: `unknown` for what is given, `any` for what comes back and is to be used. */
  unsure?: 'unknown' | 'any'
  /** Where `$ref`s lead to, if it is another one. */
  root?: unknown
}

interface Setting {
  root: Schema
  /** Which `$ref`s are being followed. */
  followed: readonly string[]
  depth: number
  withDocs: boolean
  unsure: 'unknown' | 'any'
  /** Shared by all of it: what grows by itself is cut off. */
  left: { parts: number }
}

/** `isWhole`: it can stand before `[]` as it is. `ways`: how many types it is one of, 1 unless it is said. */
interface Written {
  text: string
  isWhole: boolean
  ways?: number
}

const deepest = 8
const mostChoices = 40
const mostProperties = 200
const mostParts = 1_500
/** A type that is one of several and one of several others is one of their products: TypeScript gives up on too many. */
const mostWays = 500

/** JSON Schema (draft-07 and 2020-12) as a TypeScript type on one line, for people and models to read. */
export function typeOf(schema: unknown, options: TypeOptions = {}): string {
  const { withDocs = true, unsure = 'unknown', root = schema } = options
  const setting = { root: isRecord(root) ? root : {}, followed: [], depth: 0, withDocs, unsure }
  return written(schema, { ...setting, left: { parts: mostParts } }).text
}

function written(schema: unknown, setting: Setting): Written {
  if (schema === false) return whole('never')
  setting.left.parts -= 1
  if (!isRecord(schema) || setting.depth > deepest || setting.left.parts < 0) return whole(setting.unsure)
  const deeper = { ...setting, depth: setting.depth + 1 }
  const type = shaped(schema, deeper)
  return schema['nullable'] === true ? union([type, whole('null')], deeper) : type
}

function shaped(schema: Schema, setting: Setting): Written {
  const ref = schema['$ref'] ?? schema['$dynamicRef']
  if (typeof ref === 'string') return followed(ref, setting)
  if ('const' in schema) return union([literal(schema['const'], setting)], setting)
  if (Array.isArray(schema['enum'])) return enumeration(schema['enum'], setting)
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) {
    const some = choices.slice(0, mostChoices).map((one) => written(merged(schema, one), setting))
    return choices.length > mostChoices ? whole(setting.unsure) : union(some, setting)
  }
  if (Array.isArray(schema['allOf'])) return intersection(schema, schema['allOf'], setting)
  const { type } = schema
  if (Array.isArray(type))
    return union(
      type.slice(0, mostChoices).map((one) => ofType(one, schema, setting)),
      setting,
    )
  return ofType(type ?? guessed(schema), schema, setting)
}

function ofType(type: unknown, schema: Schema, setting: Setting): Written {
  if (type === 'string' || type === 'boolean' || type === 'null') return whole(type)
  if (type === 'number' || type === 'integer') return whole('number')
  if (type === 'array') return list(schema, setting)
  if (type === 'object') return record(schema, setting)
  return whole(setting.unsure)
}

const guessed = (schema: Schema): string | undefined =>
  ['properties', 'additionalProperties', 'patternProperties', 'required'].some((word) => word in schema)
    ? 'object'
    : 'items' in schema || 'prefixItems' in schema
      ? 'array'
      : undefined

function followed(ref: string, setting: Setting): Written {
  if (setting.followed.includes(ref)) return whole(setting.unsure)
  const found = resolvedIn(setting.root, ref)
  return written(found, { ...setting, followed: [...setting.followed, ref] })
}

function list(schema: Schema, setting: Setting): Written {
  const { prefixItems, items, additionalItems, minItems } = schema
  const isOld = Array.isArray(items)
  const places = Array.isArray(prefixItems) ? prefixItems : isOld ? items : undefined
  if (!places) return { text: `${enclosed(written(items ?? true, setting))}[]`, isWhole: true }
  const needed = typeof minItems === 'number' ? minItems : 0
  const each = places
    .slice(0, mostChoices)
    .map((one, index) => `${enclosed(written(one, setting))}${index < needed ? '' : '?'}`)
  const after = (isOld ? additionalItems : items) ?? true
  const rest = after === false ? [] : [`...${enclosed(written(after, setting))}[]`]
  return whole(`[${[...each, ...rest].join(', ')}]`)
}

function record(schema: Schema, setting: Setting): Written {
  const { properties, required, additionalProperties, patternProperties } = schema
  const known = isRecord(properties) ? properties : {}
  const needed = new Set(Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [])
  // What is needed and described nowhere is still needed.
  const names = [...new Set([...Object.keys(known), ...needed])]
  if (names.length === 0) return dictionary(schema, setting)
  const members = names.slice(0, mostProperties).map((name) => {
    const property = Object.hasOwn(known, name) ? known[name] : true
    const docs = setting.withDocs ? docsOf(name, property) : ''
    return `${docs}${propertyKey(name)}${needed.has(name) ? '' : '?'}: ${written(property, setting).text}`
  })
  const isOpen =
    additionalProperties === true ||
    isRecord(additionalProperties) ||
    isRecord(patternProperties) ||
    names.length > mostProperties
  return whole(`{ ${[...members, ...(isOpen ? [`[key: string]: ${setting.unsure}`] : [])].join('; ')} }`)
}

/** An object of which only the values are known. */
function dictionary({ additionalProperties, patternProperties }: Schema, setting: Setting): Written {
  const patterns = isRecord(patternProperties) ? Object.values(patternProperties) : []
  const values = [
    ...patterns.slice(0, mostChoices),
    ...(isRecord(additionalProperties) ? [additionalProperties] : []),
  ]
  if (values.length === 0)
    return whole(
      additionalProperties === false ? 'Record<string, never>' : `Record<string, ${setting.unsure}>`,
    )
  const each = union(
    values.map((one) => written(one, setting)),
    setting,
  )
  return whole(`Record<string, ${each.text}>`)
}

function intersection(schema: Schema, parts: readonly unknown[], setting: Setting): Written {
  const { allOf: _, nullable: _nullable, ...own } = schema
  const all = [...(guessed(own) ? [own] : []), ...parts.slice(0, mostChoices)]
  const types = all.map((one) => written(one, setting)).filter(({ text }) => text !== setting.unsure)
  const distinct = [...new Map(types.map((one) => [one.text, one])).values()]
  // What would be too many ways is left out: what is said without it is still true.
  let ways = 1
  const some = distinct.filter((one) => {
    const product = ways * waysOf(one)
    if (product <= mostWays) ways = product
    return product <= mostWays
  })
  const [only] = some
  if (!only) return whole(setting.unsure)
  return some.length === 1 ? only : { text: some.map(enclosed).join(' & '), isWhole: false, ways }
}

const waysOf = ({ ways = 1 }: Written): number => ways

/** A choice says only what differs; what its siblings say holds for each. */
function merged(schema: Schema, one: unknown): unknown {
  const { anyOf: _anyOf, oneOf: _oneOf, nullable: _nullable, ...own } = schema
  if (!isRecord(one) || !isRecord(own['properties']) || '$ref' in one) return one
  const required = [own['required'], one['required']].flatMap((some) => (Array.isArray(some) ? some : []))
  const properties = { ...own['properties'], ...(isRecord(one['properties']) ? one['properties'] : {}) }
  return { ...own, ...one, properties, required }
}

function enumeration(values: readonly unknown[], setting: Setting): Written {
  if (values.length <= mostChoices)
    return union(
      values.map((one) => literal(one, setting)),
      setting,
    )
  const kinds = new Set(values.map((one) => (one === null ? 'null' : typeof one)))
  const types = [...kinds].map((kind) => (kind === 'object' ? setting.unsure : kind))
  return union(types.map(whole), setting)
}

function union(types: readonly Written[], setting: Setting): Written {
  const distinct = [...new Map(types.map((one) => [one.text, one])).values()]
  const [only] = distinct
  if (!only) return whole('never')
  if (distinct.length === 1) return only
  if (distinct.some(({ text }) => text === setting.unsure)) return whole(setting.unsure)
  const ways = distinct.reduce((sum, one) => sum + waysOf(one), 0)
  return { text: distinct.map(({ text }) => text).join(' | '), isWhole: false, ways }
}

function literal(value: unknown, setting: Setting): Written {
  if (typeof value === 'string') return whole(quoted(value))
  if (value === null || typeof value === 'boolean') return whole(String(value))
  // A number with a sign is not one word.
  if (typeof value === 'number' && Number.isFinite(value)) return { text: String(value), isWhole: value >= 0 }
  return whole(setting.unsure)
}

/** JSON, without what ends a line in JavaScript. */
const quoted = (text: string): string =>
  JSON.stringify(text)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`)

const whole = (text: string): Written => ({ text, isWhole: true })
const enclosed = ({ text, isWhole }: Written): string => (isWhole ? text : `(${text})`)
