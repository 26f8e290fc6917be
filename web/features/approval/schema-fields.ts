/** One field of a form that is made from a JSON Schema. */
export interface SchemaField {
  name: string
  label: string
  hint: string
  isNeeded: boolean
  kind: 'text' | 'lines' | 'number' | 'integer' | 'yes-no' | 'one-of' | 'some-of' | 'json'
  /** For `one-of` and `some-of`. */
  choices: { value: unknown; label: string }[]
  start: unknown
}
export type Values = Record<string, unknown>

type Schema = Record<string, unknown>
const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export function schemaFields(schema: Schema): SchemaField[] {
  const { properties, required } = schema
  if (!isSchema(properties)) return []
  return Object.entries(properties).map(([name, told]) => {
    const property = isSchema(told) ? told : {}
    const items = isSchema(property['items']) ? property['items'] : {}
    const own = choicesOf(property)
    const choices = own.length > 0 ? own : choicesOf(items)
    const kind = own.length > 0 ? 'one-of' : choices.length > 0 ? 'some-of' : kindOf(property)
    return {
      name,
      label: text(property['title']) ?? name,
      hint: text(property['description']) ?? '',
      isNeeded: list(required).includes(name),
      kind,
      choices,
      start: property['default'],
    }
  })
}

const kinds: Record<string, SchemaField['kind']> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'yes-no',
}

function kindOf({ type, maxLength }: Schema): SchemaField['kind'] {
  const kind = kinds[text(type) ?? ''] ?? 'json'
  return kind === 'text' && typeof maxLength === 'number' && maxLength > 200 ? 'lines' : kind
}

function choicesOf(schema: Schema): SchemaField['choices'] {
  const names = list(schema['enumNames'])
  const listed = list(schema['enum']).map((value, index) => ({
    value,
    label: text(names[index]) ?? String(value),
  }))
  const titled = [...list(schema['oneOf']), ...list(schema['anyOf'])].flatMap((choice) =>
    isSchema(choice) && 'const' in choice
      ? [{ value: choice['const'], label: text(choice['title']) ?? String(choice['const']) }]
      : [],
  )
  return listed.length > 0 ? listed : titled
}

/** What is sent: what was left empty is not there. Text that is no JSON stays a text, and is refused as one. */
export function schemaContent(fields: readonly SchemaField[], values: Values): Values {
  const filled = fields.flatMap((field): [string, unknown][] => {
    const value = field.name in values ? values[field.name] : field.start
    if (field.kind === 'yes-no')
      return value === undefined && !field.isNeeded ? [] : [[field.name, value === true]]
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return []
    return [[field.name, typeof value === 'string' ? typed(field.kind, value) : value]]
  })
  return Object.fromEntries(filled)
}

function typed(kind: SchemaField['kind'], value: string): unknown {
  if (kind === 'number' || kind === 'integer') return Number(value)
  if (kind !== 'json') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

export const isFilled = (fields: readonly SchemaField[], values: Values): boolean => {
  const content = schemaContent(fields, values)
  return fields.every(({ name, isNeeded }) => !isNeeded || name in content)
}
