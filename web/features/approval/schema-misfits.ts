import { isTame } from './tame-pattern.ts'

type Schema = Record<string, unknown>

export interface Misfit {
  path: string[]
  reason: string
}

/**
 * What the server would refuse, in its words, without asking it: the usual rules of JSON Schema. What it does not know it lets pass, and
 * the server says so. The server's own way builds code of a schema, which a page must not do.
 */
export function misfits(schema: Schema, value: unknown, root: Schema = schema, depth = 0): Misfit[] {
  if (depth > 20) return []
  const meant = resolved(schema, root)
  const found = [
    ...typeMisfit(meant, value),
    ...choiceMisfit(meant, value),
    ...numberMisfits(meant, value),
    ...textMisfits(meant, value),
  ].map((reason) => ({ path: [], reason }))
  return [
    ...found,
    ...listMisfits(meant, value, root, depth),
    ...objectMisfits(meant, value, root, depth),
    ...eitherMisfits(meant, value, root, depth),
  ]
}

/** Within the same schema; anything else stays as it is. */
export function resolved(schema: Schema, root: Schema, hops = 0): Schema {
  const { $ref, ...rest } = schema
  if (typeof $ref !== 'string' || !$ref.startsWith('#/') || hops > 10) return schema
  const steps = $ref
    .slice(2)
    .split('/')
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  const target = steps.reduce<unknown>(
    (at, step) => (isSchema(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    root,
  )
  return isSchema(target) ? { ...resolved(target, root, hops + 1), ...rest } : rest
}

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isOfType = (value: unknown, type: unknown): boolean => {
  if (type === 'integer') return typeof value === 'number' && Number.isInteger(value)
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isSchema(value)
  return type === 'null' ? value === null : typeof value === type
}

function typeMisfit({ type }: Schema, value: unknown): string[] {
  if (type === undefined) return []
  const types = [type].flat().map(String)
  return types.some((one) => isOfType(value, one)) ? [] : [`must be ${types.join(',')}`]
}

const isSame = (one: unknown, other: unknown) =>
  one === other || JSON.stringify(one) === JSON.stringify(other)

function choiceMisfit(schema: Schema, value: unknown): string[] {
  const { enum: allowed } = schema
  return [
    ...(Array.isArray(allowed) && !allowed.some((one) => isSame(one, value))
      ? [`must be one of ${allowed.map(String).join(', ')}`]
      : []),
    ...('const' in schema && !isSame(schema['const'], value) ? ['must be equal to constant'] : []),
  ]
}

const limits: [keyword: string, holds: (value: number, limit: number) => boolean, words: string][] = [
  ['maximum', (value, limit) => value <= limit, 'must be <='],
  ['minimum', (value, limit) => value >= limit, 'must be >='],
  ['exclusiveMaximum', (value, limit) => value < limit, 'must be <'],
  ['exclusiveMinimum', (value, limit) => value > limit, 'must be >'],
  ['multipleOf', (value, limit) => Number.isInteger(value / limit), 'must be multiple of'],
]

const numberMisfits = (schema: Schema, value: unknown): string[] =>
  typeof value !== 'number'
    ? []
    : limits.flatMap(([keyword, holds, words]) => {
        const limit = schema[keyword]
        return typeof limit === 'number' && !holds(value, limit) ? [`${words} ${limit}`] : []
      })

/** `must NOT have more than 3 items`. */
function amountMisfits(schema: Schema, of: string, amount: number, unit: string): string[] {
  const most = schema[`max${of}`]
  const least = schema[`min${of}`]
  return [
    ...(typeof most === 'number' && amount > most ? [`must NOT have more than ${most} ${unit}`] : []),
    ...(typeof least === 'number' && amount < least ? [`must NOT have fewer than ${least} ${unit}`] : []),
  ]
}

function textMisfits(schema: Schema, value: unknown): string[] {
  if (typeof value !== 'string') return []
  const { pattern } = schema
  const isWrong = typeof pattern === 'string' && isTame(pattern) && !new RegExp(pattern, 'u').test(value)
  return [
    ...amountMisfits(schema, 'Length', Array.from(value).length, 'characters'),
    ...(isWrong ? [`must match pattern "${pattern}"`] : []),
  ]
}

function listMisfits(schema: Schema, value: unknown, root: Schema, depth: number): Misfit[] {
  if (!Array.isArray(value)) return []
  const list: unknown[] = value
  const { items, uniqueItems } = schema
  const later = list.findLastIndex((one, index) => list.findIndex((other) => isSame(one, other)) < index)
  const twice =
    uniqueItems === true && later > 0
      ? list.findLastIndex((one, index) => index < later && isSame(one, list[later]))
      : -1
  return [
    ...amountMisfits(schema, 'Items', list.length, 'items').map((reason) => ({ path: [], reason })),
    ...(twice >= 0 ? [{ path: [], reason: duplicates(items, twice, later) }] : []),
    ...(isSchema(items)
      ? list.flatMap((one, index) => within(String(index), misfits(items, one, root, depth + 1)))
      : []),
  ]
}

/** The server looks for them in two ways, and names them in two orders. */
const duplicates = (items: unknown, first: number, later: number): string => {
  const isPlain =
    isSchema(items) && ['string', 'number', 'integer', 'boolean'].includes(String(items['type']))
  const [one, other] = isPlain ? [later, first] : [first, later]
  return `must NOT have duplicate items (items ## ${one} and ${other} are identical)`
}

function objectMisfits(schema: Schema, value: unknown, root: Schema, depth: number): Misfit[] {
  if (!isSchema(value)) return []
  const { properties, required } = schema
  const needed = (Array.isArray(required) ? required : []).filter(
    (name) => !Object.hasOwn(value, String(name)),
  )
  return [
    ...amountMisfits(schema, 'Properties', Object.keys(value).length, 'properties').map((reason) => ({
      path: [],
      reason,
    })),
    ...needed.map((name) => ({ path: [String(name)], reason: 'is needed' })),
    ...Object.entries(isSchema(properties) ? properties : {}).flatMap(([name, property]) =>
      isSchema(property) && Object.hasOwn(value, name)
        ? within(name, misfits(property, value[name], root, depth + 1))
        : [],
    ),
  ]
}

function eitherMisfits(schema: Schema, value: unknown, root: Schema, depth: number): Misfit[] {
  const fitting = (keyword: string) => {
    const options = schema[keyword]
    if (!Array.isArray(options)) return undefined
    return options.filter((one) => !isSchema(one) || misfits(one, value, root, depth + 1).length === 0).length
  }
  const { allOf } = schema
  const one = fitting('oneOf')
  return [
    ...(Array.isArray(allOf)
      ? allOf.filter(isSchema).flatMap((part) => misfits(part, value, root, depth + 1))
      : []),
    ...(fitting('anyOf') === 0 ? [{ path: [], reason: 'must match a schema in anyOf' }] : []),
    // That two fit cannot be said for sure: what is let pass here may be what the second lacks.
    ...(one === 0 ? [{ path: [], reason: 'must match exactly one schema in oneOf' }] : []),
  ]
}

const within = (step: string, found: Misfit[]): Misfit[] =>
  found.map(({ path, reason }) => ({ path: [step, ...path], reason }))
