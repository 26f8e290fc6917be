import type pg from 'pg'

/** Seen so often, a statement is worth being planned once for each connection. */
const often = 10
/** Postgres keeps the plans in the memory of each connection: whoever comes later is planned every time. */
const most = 250

interface Statement {
  text: string
  name?: string
}

const seen = new Map<string, number>()
const names = new Map<string, string>()

/** Gives names to the statements that come again and again over this connection: Postgres plans one with a name once. */
export function nameStatements(client: pg.ClientBase): void {
  const plain = Object.getPrototypeOf(client) as { query(...given: unknown[]): unknown }
  const queryNamed = (given: unknown, ...rest: unknown[]): unknown => {
    const config = typeof given === 'string' ? { text: given } : given
    const name = isStatement(config, rest[0]) ? nameOf(config) : undefined
    return plain.query.call(client, name === undefined ? given : { ...(config as Statement), name }, ...rest)
  }
  Object.assign(client, { query: queryNamed })
}

/** With values, so that its text is the same every time; what is not plain, such as a cursor, is left as it is. */
const isStatement = (config: unknown, given: unknown): config is Statement =>
  typeof config === 'object' &&
  config !== null &&
  Object.getPrototypeOf(config) === Object.prototype &&
  'text' in config &&
  typeof config.text === 'string' &&
  isSome('values' in config ? config.values : given)

const isSome = (values: unknown): boolean => Array.isArray(values) && values.length > 0

function nameOf({ text, name }: Statement): string | undefined {
  if (name !== undefined) return name
  const known = names.get(text)
  if (known !== undefined || names.size >= most) return known
  const times = (seen.get(text) ?? 0) + 1
  if (times < often) {
    if (seen.size < most * 4 || seen.has(text)) seen.set(text, times)
    return undefined
  }
  seen.delete(text)
  const given = `often ${names.size + 1}`
  names.set(text, given)
  return given
}
