type Schema = Record<string, unknown>

interface Setting {
  /** Where `$ref`s lead to. */
  root: Schema
  /** Which of them are being followed. */
  followed: readonly string[]
  depth: number
  withDocs: boolean
}

const deepest = 8
const mostChoices = 40
const mostProperties = 200

/** JSON Schema as a TypeScript type on one line, for people and models to read. What it cannot say is `unknown`. */
export const typeOf = (schema: unknown, withDocs = true): string =>
  written(schema, { root: isSchema(schema) ? schema : {}, followed: [], depth: 0, withDocs })

function written(schema: unknown, setting: Setting): string {
  if (schema === false) return 'never'
  if (!isSchema(schema) || setting.depth > deepest) return 'unknown'
  const deeper = { ...setting, depth: setting.depth + 1 }
  const ref = schema['$ref'] ?? schema['$dynamicRef']
  if (typeof ref === 'string') return followed(ref, setting)
  if ('const' in schema) return literal(schema['const'])
  if (Array.isArray(schema['enum']))
    return union(schema['enum'].slice(0, mostChoices).map(literal), schema['enum'].length)
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices))
    return union(
      choices.map((one) => written(merged(schema, one), deeper)),
      choices.length,
    )
  if (Array.isArray(schema['allOf'])) return intersection(schema, schema['allOf'], deeper)
  const { type } = schema
  if (Array.isArray(type))
    return union(
      type.map((one) => written({ ...schema, type: one }, deeper)),
      type.length,
    )
  return ofType(typeof type === 'string' ? type : guessed(schema), schema, deeper)
}

function ofType(type: string | undefined, schema: Schema, setting: Setting): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return list(schema, setting)
    case 'object':
      return record(schema, setting)
    default:
      return 'unknown'
  }
}

const guessed = (schema: Schema): string | undefined =>
  isSchema(schema['properties']) || 'additionalProperties' in schema
    ? 'object'
    : 'items' in schema || 'prefixItems' in schema
      ? 'array'
      : undefined

function followed(ref: string, setting: Setting): string {
  if (setting.followed.includes(ref) || !ref.startsWith('#')) return 'unknown'
  const parts = ref.slice(1).split('/').filter(Boolean)
  let found: unknown = setting.root
  for (const part of parts) {
    const name = decodeURIComponent(part.replaceAll('~1', '/').replaceAll('~0', '~'))
    found = isSchema(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return written(found, { ...setting, followed: [...setting.followed, ref], depth: setting.depth + 1 })
}

function list(schema: Schema, setting: Setting): string {
  const { prefixItems, items } = schema
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((one) => written(one, setting)).join(', ')}]`
  const each = written(items ?? true, setting)
  return /[|&]/.test(each) && !/^(\{.*\}|".*")$/s.test(each) ? `(${each})[]` : `${each}[]`
}

function record(schema: Schema, setting: Setting): string {
  const { properties, required, additionalProperties } = schema
  const names = isSchema(properties) ? Object.keys(properties).slice(0, mostProperties) : []
  const rest = isSchema(additionalProperties) ? written(additionalProperties, setting) : undefined
  if (names.length === 0)
    return rest
      ? `Record<string, ${rest}>`
      : additionalProperties === false
        ? '{}'
        : 'Record<string, unknown>'
  const needed = new Set(Array.isArray(required) ? required : [])
  const members = names.map((name) => {
    const property = (properties as Schema)[name]
    const docs = setting.withDocs ? docsOf(name, property) : ''
    return `${docs}${memberKey(name)}${needed.has(name) ? '' : '?'}: ${written(property, setting)}`
  })
  return `{ ${members.join('; ')} }`
}

function intersection(schema: Schema, parts: unknown[], setting: Setting): string {
  const { allOf: _, ...own } = schema
  const types = [...(guessed(own) ? [own] : []), ...parts].map((one) => written(one, setting))
  const known = [...new Set(types)].filter((one) => one !== 'unknown')
  return known.length === 0
    ? 'unknown'
    : known.map((one) => (one.includes('|') ? `(${one})` : one)).join(' & ')
}

/** A choice says only what differs; what its siblings say holds for each. */
function merged(schema: Schema, one: unknown): unknown {
  const { anyOf: _anyOf, oneOf: _oneOf, $defs: _defs, ...own } = schema
  return isSchema(one) && isSchema(own['properties']) && !('$ref' in one)
    ? {
        ...own,
        ...one,
        properties: { ...own['properties'], ...(isSchema(one['properties']) ? one['properties'] : {}) },
      }
    : one
}

function union(types: readonly string[], amount: number): string {
  const distinct = [...new Set(types)]
  if (distinct.length === 0) return 'never'
  if (amount > mostChoices) return distinct.every((one) => one.startsWith('"')) ? 'string' : 'unknown'
  return distinct.includes('unknown') ? 'unknown' : distinct.join(' | ')
}

function literal(value: unknown): string {
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return JSON.stringify(value)
  return 'unknown'
}

function docsOf(name: string, property: unknown): string {
  if (!isSchema(property)) return ''
  const { description, default: start, deprecated } = property
  const told = [
    ...(typeof description === 'string' && saysMore(name, description) ? [comment(description, 160)] : []),
    ...(start !== undefined && JSON.stringify(start).length < 40
      ? [`@default ${comment(JSON.stringify(start), 40)}`]
      : []),
    ...(deprecated === true ? ['@deprecated'] : []),
  ]
  return told.length > 0 ? `/** ${told.join(' ')} */ ` : ''
}

/** A description that only repeats the name is read for nothing. */
function saysMore(name: string, description: string): boolean {
  const words = (text: string) =>
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const known = new Set([
    ...words(name),
    'the',
    'a',
    'an',
    'of',
    'to',
    'for',
    'is',
    'this',
    'optional',
    'required',
  ])
  return words(description).some((word) => !known.has(word))
}

/** One line that cannot end the comment it stands in. */
export function comment(text: string, most: number): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /').trim()
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`
}

const memberKey = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
