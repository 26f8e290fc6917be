type Shape =
  | { kind: 'plain'; types: Set<string> }
  | { kind: 'list'; each: Shape | undefined }
  | { kind: 'record'; fields: Map<string, { shape: Shape; seen: number }>; seen: number }
  | { kind: 'unknown' }

const mostFields = 60
const mostLooked = 50
const deepest = 6

/** What results of a tool looked like, so far: a type that all of them fit. */
export class Observed {
  #shape: Shape | undefined

  see(value: unknown): void {
    const seen = shapeOf(value, 0)
    this.#shape = this.#shape ? joined(this.#shape, seen) : seen
  }

  get type(): string | undefined {
    return this.#shape && written(this.#shape)
  }
}

function shapeOf(value: unknown, depth: number): Shape {
  if (depth > deepest) return { kind: 'unknown' }
  if (Array.isArray(value)) {
    const each = value.slice(0, mostLooked).map((one) => shapeOf(one, depth + 1))
    return { kind: 'list', each: each.length > 0 ? each.reduce(joined) : undefined }
  }
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value)
    if (names.length > mostFields) return { kind: 'unknown' }
    const fields = names.map(
      (name) =>
        [name, { shape: shapeOf((value as Record<string, unknown>)[name], depth + 1), seen: 1 }] as const,
    )
    return { kind: 'record', fields: new Map(fields), seen: 1 }
  }
  return { kind: 'plain', types: new Set([value === null ? 'null' : typeof value]) }
}

function joined(a: Shape, b: Shape): Shape {
  if (a.kind === 'plain' && b.kind === 'plain')
    return { kind: 'plain', types: new Set([...a.types, ...b.types]) }
  if (a.kind === 'list' && b.kind === 'list')
    return { kind: 'list', each: a.each && b.each ? joined(a.each, b.each) : (a.each ?? b.each) }
  if (a.kind !== 'record' || b.kind !== 'record') return { kind: 'unknown' }
  const fields = new Map(a.fields)
  for (const [name, { shape, seen }] of b.fields) {
    const known = fields.get(name)
    fields.set(name, known ? { shape: joined(known.shape, shape), seen: known.seen + seen } : { shape, seen })
  }
  if (fields.size > mostFields) return { kind: 'unknown' }
  return { kind: 'record', fields, seen: a.seen + b.seen }
}

function written(shape: Shape): string {
  if (shape.kind === 'unknown') return 'any'
  if (shape.kind === 'plain') return [...shape.types].toSorted().join(' | ')
  if (shape.kind === 'list') {
    const each = shape.each ? written(shape.each) : 'any'
    return each.includes('|') && !each.startsWith('{') ? `(${each})[]` : `${each}[]`
  }
  if (shape.fields.size === 0) return 'Record<string, any>'
  const fields = [...shape.fields].map(([name, { shape: field, seen }]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
    return `${key}${seen < shape.seen ? '?' : ''}: ${written(field)}`
  })
  return `{ ${fields.join('; ')} }`
}
