export type Table = Record<string, unknown>
export type Fail = (why: string) => never

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function tableAt(from: Table, path: readonly string[], fail: Fail): Table {
  return path.reduce<Table>((at, key) => {
    const next = Object.hasOwn(at, key) ? at[key] : define(at, key, {})
    const inner: unknown = Array.isArray(next) ? next.at(-1) : next
    return isTable(inner) ? inner : fail(`${path.join('.')} is not a table`)
  }, from)
}

export function appendTo(root: Table, path: readonly string[], fail: Fail): Table {
  const parent = tableAt(root, path.slice(0, -1), fail)
  const key = path.at(-1) ?? ''
  const list: unknown = Object.hasOwn(parent, key) ? parent[key] : define(parent, key, [])
  if (!Array.isArray(list)) return fail(`${path.join('.')} is not a list of tables`)
  const added: Table = {}
  list.push(added)
  return added
}

export function putIn(table: Table, path: readonly string[], value: unknown, fail: Fail): void {
  const parent = tableAt(table, path.slice(0, -1), fail)
  const key = path.at(-1) ?? ''
  if (Object.hasOwn(parent, key)) fail(`${path.join('.')} is there twice`)
  define(parent, key, value)
}

/** A key `__proto__` is a key like any other. */
function define<Value>(table: Table, key: string, value: Value): Value {
  Object.defineProperty(table, key, { value, enumerable: true, writable: true, configurable: true })
  return value
}
