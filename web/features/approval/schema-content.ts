import { misfits } from './schema-misfits.ts'
import type { SchemaField, Values } from './schema-fields.ts'

/** What is filled in for one of several shapes. */
export interface Either {
  shape: number
  value: unknown
}
export const isEither = (value: unknown): value is Either =>
  typeof value === 'object' && value !== null && 'shape' in value && typeof value.shape === 'number'

/** What is sent: what was left empty is not there. Text that is no JSON stays a text, and is refused as one. */
export function schemaContent(fields: readonly SchemaField[], values: Values): Values {
  return Object.fromEntries(
    fields.flatMap((field): [string, unknown][] => {
      const sent = contentOf(field, field.name in values ? values[field.name] : startOf(field))
      return sent === undefined ? [] : [[field.name, sent]]
    }),
  )
}

/** What can be only one thing is that thing, where it is needed. */
const startOf = ({ start, isNeeded, choices }: SchemaField): unknown =>
  start === undefined && isNeeded && choices.length === 1 ? choices[0]?.value : start

function contentOf(field: SchemaField, value: unknown): unknown {
  const { kind, isNeeded, inner } = field
  if (kind === 'yes-no') return value === undefined && !isNeeded ? undefined : value === true
  if (kind === 'object')
    return isNeeded || isTouched(value) ? schemaContent(inner, recordIn(value)) : undefined
  if (kind === 'list') return entriesOf(field, value)
  if (kind === 'either') return eitherContent(field, value)
  const sent = typeof value === 'string' ? typed(field, value) : value
  if (sent === undefined || sent === '' || (kind === 'yes-or-text' && sent === false)) return undefined
  return Array.isArray(sent) && sent.length === 0 ? undefined : sent
}

function entriesOf({ inner: [entry], isNeeded }: SchemaField, value: unknown): unknown {
  const entries = Array.isArray(value) ? (value as unknown[]) : []
  if (!entry || (entries.length === 0 && !isNeeded)) return undefined
  return entries.map((one) => contentOf(entry, one) ?? null)
}

/** A value that came as a default has no shape yet, and is sent as it came. */
function eitherContent({ inner, isNeeded }: SchemaField, value: unknown): unknown {
  if (!isEither(value))
    return isNeeded && value === undefined && inner[0] ? contentOf(inner[0], undefined) : value
  const shape = inner[value.shape]
  return shape && contentOf(shape, value.value)
}

const recordIn = (value: unknown): Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {}

/** Whether anything is filled in, however deep. */
function isTouched(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).some(isTouched)
  return value !== undefined && value !== '' && value !== false
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

/** By the path of what does not fit, as `place.line`: why. */
export type Problems = Record<string, string>

/** What does not fit as it stands. Nobody is told that something is missing before they have begun with it. */
export function problemsIn(
  schema: Record<string, unknown>,
  fields: readonly SchemaField[],
  values: Values,
): { problems: Problems; fits: boolean } {
  const found = misfits(schema, schemaContent(fields, values))
  const told = found.filter(({ path: [name = ''], reason }) => name in values || reason !== 'is needed')
  // The first that is said of a place is what is told.
  const problems = Object.fromEntries(told.toReversed().map(({ path, reason }) => [path.join('.'), reason]))
  return { problems, fits: found.length === 0 }
}

/** Those within one of the fields, as it would have them itself. */
export function problemsWithin(problems: Problems, name: string): Problems {
  const own = Object.entries(problems).filter(([path]) => path.startsWith(`${name}.`))
  return Object.fromEntries(own.map(([path, reason]) => [path.slice(name.length + 1), reason]))
}
