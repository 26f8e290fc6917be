import { approvalStrings } from '../../strings/approval.ts'

/** `yes-or-text` is something that can be wanted with or without saying more. */
type Kind =
  | 'text'
  | 'lines'
  | 'number'
  | 'integer'
  | 'yes-no'
  | 'yes-or-text'
  | 'one-of'
  | 'some-of'
  | 'several'
  | 'json'

/** One field of a form that is made from a JSON Schema. */
export interface SchemaField {
  name: string
  label: string
  hint: string
  isNeeded: boolean
  kind: Kind
  /** Of `several` and `yes-or-text`: what is written is a number. */
  areNumbers: boolean
  /** The option of a command that it stands for: `--message`. */
  flag: string | undefined
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
    const kind = own.length > 0 ? 'one-of' : choices.length > 0 ? 'some-of' : kindOf(property, items)
    return {
      name,
      areNumbers: [items, property].some(({ type }) =>
        [type].flat().some((one) => one === 'number' || one === 'integer'),
      ),
      flag: text(property['x-flag']),
      label: text(property['title']) ?? name,
      hint: text(property['description']) ?? '',
      isNeeded: list(required).includes(name),
      kind,
      choices,
      start: property['default'],
    }
  })
}

const kinds: Record<string, Kind> = {
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'yes-no',
}

function kindOf({ type, maxLength }: Schema, items: Schema): Kind {
  if (Array.isArray(type) && type.includes('boolean') && type.length === 2) return 'yes-or-text'
  if (type === 'array' && ['string', 'number', 'integer'].includes(text(items['type']) ?? ''))
    return 'several'
  const kind = kinds[text(type) ?? ''] ?? 'json'
  return kind === 'text' && typeof maxLength === 'number' && maxLength > 200 ? 'lines' : kind
}

function choicesOf(schema: Schema): SchemaField['choices'] {
  const names = list(schema['enumNames'])
  const listed = list(schema['enum']).map((value, index) => ({
    value,
    label: text(names[index]) ?? (value === true ? approvalStrings.yes : String(value)),
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
    const sent = typeof value === 'string' ? typed(field, value) : value
    if (sent === undefined || sent === '' || (field.kind === 'yes-or-text' && sent === false)) return []
    if (Array.isArray(sent) && sent.length === 0) return []
    return [[field.name, sent]]
  })
  return Object.fromEntries(filled)
}

function typed(field: SchemaField, value: string): unknown {
  const { kind } = field
  if (value === '') return undefined
  if (kind === 'number' || kind === 'integer') return Number(value)
  if (kind === 'several') return eachOf(field, value)
  if (kind === 'yes-or-text' && field.areNumbers) return Number(value)
  return kind === 'json' ? parsed(value) : value
}

/** One on each line. What has lines of its own can only be written as a list in JSON. */
function eachOf({ areNumbers }: SchemaField, value: string): unknown[] {
  const list = value.trimStart().startsWith('[') ? parsed(value) : undefined
  if (Array.isArray(list)) return list as unknown[]
  const lines = value.split('\n').filter((line) => line.trim() !== '')
  return areNumbers ? lines.map(Number) : lines
}

function parsed(value: string): unknown {
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
