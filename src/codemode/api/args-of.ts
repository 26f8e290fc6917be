import { CodeFailed } from '../port.ts'
import { isRecord, propertiesOf } from './schema.ts'
import type { Schema } from './schema.ts'
import { typeOf } from './type-of.ts'

/** What was given to a tool, by name: one object, or values in the order of its schema. Throws CodeFailed. */
export function argsOf(path: string, schema: Schema, given: readonly unknown[]): Record<string, unknown> {
  const [first] = given
  if (given.length === 0) return {}
  if (given.length === 1 && isRecord(first)) return first
  const { names, of, needed } = propertiesOf(schema)
  if (given.length > names.length) throw unfit(path, names, needed)
  // Code cannot leave out what is not the last: it gives undefined, which arrives as null.
  const isLeftOut = (name: string, value: unknown) =>
    value === undefined || (value === null && !needed.has(name) && !takesNull(of[name], schema))
  return Object.fromEntries(
    given
      .map((value, index) => [names[index]!, value] as const)
      .filter(([name, value]) => !isLeftOut(name, value)),
  )
}

const takesNull = (property: unknown, root: Schema): boolean =>
  /\b(null|unknown)\b/.test(typeOf(property, { withDocs: false, root }))

function unfit(path: string, names: readonly string[], needed: ReadonlySet<string>): CodeFailed {
  const told = names.map((name) => (needed.has(name) ? name : `${name}?`)).join(', ')
  const message =
    names.length === 0
      ? `${path} takes no arguments, or one object`
      : `${path} takes one object { ${told} }, or at most ${names.length} values in this order: ${told}`
  return new CodeFailed('validation', 'TYPE_ERROR', message, { tool: path })
}
