import { approvalStrings } from '../../strings/approval.ts'
import { isSchema, resolved } from './schema-misfits.ts'

/** `yes-or-text` is something that can be wanted with or without saying more; `either` is one of several shapes. */
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
  | 'object'
  | 'list'
  | 'either'
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
  /** Of `object` its own, of `list` what each entry is, of `either` the shapes. */
  inner: SchemaField[]
}
export type Values = Record<string, unknown>

type Schema = Record<string, unknown>
const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Deeper than this nobody fills in a form: it is written as JSON. */
const deepest = 4
const mostShapes = 8

export const isGroup = ({ kind }: SchemaField): boolean =>
  kind === 'object' || kind === 'list' || kind === 'either'

export function schemaFields(schema: Schema, root: Schema = schema, depth = 0): SchemaField[] {
  const { properties, required } = resolved(schema, root)
  if (!isSchema(properties)) return []
  return Object.entries(properties).map(([name, told]) =>
    fieldOf(name, isSchema(told) ? told : {}, list(required).includes(name), { root, depth }),
  )
}

interface Place {
  root: Schema
  depth: number
}

function fieldOf(name: string, told: Schema, isNeeded: boolean, place: Place): SchemaField {
  const property = withoutNull(resolved(told, place.root), place.root)
  const items = isSchema(property['items']) ? resolved(property['items'], place.root) : {}
  const own = choicesOf(property)
  const choices = own.length > 0 ? own : choicesOf(items)
  const inner = choices.length > 0 || place.depth >= deepest ? [] : innerOf(property, items, place)
  const kind =
    own.length > 0
      ? 'one-of'
      : choices.length > 0
        ? 'some-of'
        : inner.length > 0
          ? groupKind(property)
          : kindOf(property, items)
  return {
    name,
    areNumbers: [items, property].some(({ type }) =>
      [type].flat().some((one) => one === 'number' || one === 'integer'),
    ),
    flag: text(property['x-flag']),
    label: text(property['title']) ?? name,
    hint: text(property['description']) ?? '',
    isNeeded,
    kind,
    choices,
    start: property['default'],
    inner,
  }
}

/** `X or null` is an X that may be left out. */
function withoutNull(schema: Schema, root: Schema): Schema {
  const { type, anyOf, oneOf, ...rest } = schema
  const options = [...list(anyOf), ...list(oneOf)].filter(isSchema)
  const left = options.filter((option) => option['type'] !== 'null')
  if (left.length === 1 && left.length < options.length) return { ...resolved(left[0]!, root), ...rest }
  if (!Array.isArray(type) || !type.includes('null')) return schema
  const types: unknown[] = type.filter((one) => one !== 'null')
  return { ...schema, type: types.length === 1 ? types[0] : types }
}

const groupKind = ({ type, properties }: Schema): Kind =>
  type === 'array' ? 'list' : isSchema(properties) ? 'object' : 'either'

function innerOf(property: Schema, items: Schema, { root, depth }: Place): SchemaField[] {
  const deeper = { root, depth: depth + 1 }
  if (property['type'] === 'array') {
    const entry = fieldOf('', items, true, deeper)
    return isGroup(entry) ? [entry] : []
  }
  const shapes = [...list(property['oneOf']), ...list(property['anyOf'])].filter(isSchema)
  if (isSchema(property['properties'])) return schemaFields(property, root, depth + 1)
  if (shapes.length < 2 || shapes.length > mostShapes || property['type'] === 'string') return []
  return shapes.map((shape, index) => {
    const field = fieldOf('', shape, true, deeper)
    return { ...field, label: field.label || shapeName(resolved(shape, root), index) }
  })
}

/** A shape without a title is known by what only it can be, or by its type. */
function shapeName({ type, properties }: Schema, index: number): string {
  const constant = Object.values(isSchema(properties) ? properties : {}).find(
    (each) => isSchema(each) && 'const' in each,
  )
  if (isSchema(constant)) return String(constant['const'])
  return text(type) ?? approvalStrings.shape(index + 1)
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
  if ('const' in schema) return [{ value: schema['const'], label: String(schema['const']) }]
  const names = list(schema['enumNames'])
  const listed = list(schema['enum']).map((value, index) => ({
    value,
    label: text(names[index]) ?? (value === true ? approvalStrings.yes : String(value)),
  }))
  const options = [...list(schema['oneOf']), ...list(schema['anyOf'])]
  const titled = options.flatMap((choice) =>
    isSchema(choice) && 'const' in choice
      ? [{ value: choice['const'], label: text(choice['title']) ?? String(choice['const']) }]
      : [],
  )
  return listed.length > 0 ? listed : titled.length === options.length ? titled : []
}
