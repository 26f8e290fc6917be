export type Schema = Record<string, unknown>

export const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where a `$ref` leads to, within the same schema: `#/$defs/Name`, `#name`. Undefined when it leads nowhere. */
export function resolvedIn(root: Schema, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined
  if (ref.length > 1 && !ref.startsWith('#/')) return anchored(root, ref.slice(1))
  let found: unknown = root
  for (const part of ref.split('/').slice(1)) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(found)) found = found[Number(name)]
    else found = isRecord(found) && Object.hasOwn(found, name) ? found[name] : undefined
  }
  return found
}

function anchored(root: Schema, anchor: string): unknown {
  const all = [root['$defs'], root['definitions']].flatMap((defs) =>
    isRecord(defs) ? Object.values(defs) : [],
  )
  return all.find((one) => isRecord(one) && (one['$anchor'] === anchor || one['$dynamicAnchor'] === anchor))
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What is said of arguments by name, also where it is said behind a `$ref` or in parts. */
export function propertiesOf(schema: Schema): { names: string[]; of: Schema; needed: Set<string> } {
  const of: Schema = Object.create(null) as Schema
  const needed = new Set<string>()
  collect(schema, schema, of, needed, 0)
  return { names: Object.keys(of), of, needed }
}

const deepest = 5

function collect(schema: unknown, root: Schema, of: Schema, needed: Set<string>, depth: number): void {
  if (!isRecord(schema) || depth > deepest) return
  if (typeof schema['$ref'] === 'string')
    collect(resolvedIn(root, schema['$ref']), root, of, needed, depth + 1)
  if (isRecord(schema['properties']))
    for (const [name, property] of Object.entries(schema['properties'])) of[name] ??= property
  if (Array.isArray(schema['required']))
    for (const name of schema['required']) if (typeof name === 'string') needed.add(name)
  if (Array.isArray(schema['allOf']))
    for (const part of schema['allOf'].slice(0, 40)) collect(part, root, of, needed, depth + 1)
}
