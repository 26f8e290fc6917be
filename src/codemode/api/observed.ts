/** What values looked like. `isNull`: some of them were null. */
type Shape =
  | { kind: 'plain'; types: ReadonlySet<string>; isNull: boolean }
  | { kind: 'list'; each: Shape | undefined; isNull: boolean }
  | {
      kind: 'record'
      fields: ReadonlyMap<string, { shape: Shape; seen: number }>
      seen: number
      isNull: boolean
    }
  | { kind: 'any' }

const mostFields = 60
const mostLooked = 50
const mostParts = 2_000
const deepest = 6
const longestType = 4_000
const unsure: Shape = { kind: 'any' }

/** What results of a tool looked like, so far: a type that all of them fit. */
export class Observed {
  #shape: Shape | undefined
  #type: string | undefined

  see(value: unknown): void {
    const seen = shapeOf(value, 0, { parts: mostParts })
    this.#shape = this.#shape ? joined(this.#shape, seen) : seen
    const type = written(this.#shape)
    this.#type = type.length > longestType ? 'any' : type
  }

  get type(): string | undefined {
    return this.#type
  }
}

function shapeOf(value: unknown, depth: number, left: { parts: number }): Shape {
  left.parts -= 1
  if (depth > deepest || left.parts < 0) return unsure
  if (value === null || typeof value !== 'object')
    return { kind: 'plain', types: new Set(value === null ? [] : [typeof value]), isNull: value === null }
  if (Array.isArray(value)) {
    const each = value.slice(0, mostLooked).map((one) => shapeOf(one, depth + 1, left))
    return { kind: 'list', each: each.length > 0 ? each.reduce(joined) : undefined, isNull: false }
  }
  const entries = Object.entries(value)
  // Names that are data, addresses or ids, are nobody's business who only reads what a tool is like.
  if (entries.length > mostFields || !entries.every(([name]) => isFieldName(name))) return unsure
  const fields = new Map(
    entries.map(([name, field]) => [name, { shape: shapeOf(field, depth + 1, left), seen: 1 }]),
  )
  return { kind: 'record', fields, seen: 1, isNull: false }
}

const isFieldName = (name: string): boolean => /^[A-Za-z_$][\w$]{0,39}$/.test(name) && !/\d{4}/.test(name)

function joined(a: Shape, b: Shape): Shape {
  if (a.kind === 'any' || b.kind === 'any') return unsure
  const isNull = a.isNull || b.isNull
  if (a.kind === 'plain' && b.kind === 'plain')
    return { kind: 'plain', types: new Set([...a.types, ...b.types]), isNull }
  if (a.kind === 'plain' && a.types.size === 0) return { ...b, isNull }
  if (b.kind === 'plain' && b.types.size === 0) return { ...a, isNull }
  if (a.kind === 'list' && b.kind === 'list')
    return { kind: 'list', each: a.each && b.each ? joined(a.each, b.each) : (a.each ?? b.each), isNull }
  if (a.kind !== 'record' || b.kind !== 'record') return unsure
  const fields = new Map(a.fields)
  for (const [name, { shape, seen }] of b.fields) {
    const known = fields.get(name)
    fields.set(name, known ? { shape: joined(known.shape, shape), seen: known.seen + seen } : { shape, seen })
  }
  return fields.size > mostFields ? unsure : { kind: 'record', fields, seen: a.seen + b.seen, isNull }
}

function written(shape: Shape): string {
  if (shape.kind === 'any') return 'any'
  if (shape.kind === 'plain') {
    const types = [...shape.types, ...(shape.isNull ? ['null'] : [])].toSorted()
    // That something was null once does not say that it always is.
    return types.length === 0 || types.join() === 'null' ? 'any' : types.join(' | ')
  }
  return shape.isNull ? `${whole(shape)} | null` : whole(shape)
}

function whole(shape: Extract<Shape, { kind: 'list' | 'record' }>): string {
  if (shape.kind === 'list') {
    const each = shape.each ? written(shape.each) : 'any'
    const isOne =
      shape.each?.kind !== 'plain'
        ? !(shape.each && 'isNull' in shape.each && shape.each.isNull)
        : !each.includes('|')
    return isOne ? `${each}[]` : `(${each})[]`
  }
  if (shape.fields.size === 0) return 'Record<string, any>'
  const fields = [...shape.fields].map(
    ([name, { shape: field, seen }]) => `${name}${seen < shape.seen ? '?' : ''}: ${written(field)}`,
  )
  return `{ ${fields.join('; ')} }`
}
