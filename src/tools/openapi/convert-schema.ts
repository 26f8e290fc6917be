import { BadPart, isNode } from './document.ts'
import type { Node } from './document.ts'
import { loosened } from './loose-schema.ts'
import { inside, plain, samePlace } from './schema-keywords.ts'

/** What the conversion of one schema needs to know, and what it finds. */
export interface Conversion {
  is30: boolean
  /** It is the shape of an answer, not of arguments. */
  isLoose: boolean
  /** The name in `$defs` of what a reference points at. */
  nameOf: (reference: string) => string
  /** Nobody sends (or gets) a property like this. */
  isLeftOut: (property: unknown) => boolean
  /** Names in `$defs` that it needs. */
  uses: Set<string>
  /** Those of them that speak of the very same value: a circle of these would never end. */
  samePlace: Set<string>
}

const deepest = 40

/** A schema of OpenAPI 3.0 or 3.1 as JSON Schema 2020-12, with its references leading to `$defs`. */
export function converted(schema: unknown, to: Conversion, isSamePlace = true, depth = 0): unknown {
  if (typeof schema === 'boolean') return schema
  if (!isNode(schema)) throw new BadPart('one of its schemas is no object')
  if (depth > deepest) throw new BadPart(`one of its schemas is nested deeper than ${deepest} levels`)
  const into = (inner: unknown, stays: boolean) => converted(inner, to, isSamePlace && stays, depth + 1)

  const result: Node = {}
  const reference = schema['$ref']
  if (typeof reference === 'string') {
    const name = to.nameOf(reference)
    to.uses.add(name)
    if (isSamePlace) to.samePlace.add(name)
    result['$ref'] = `#/$defs/${name}`
    // What stands beside a reference counts from 3.1 on.
    if (to.is30)
      return {
        ...result,
        ...(typeof schema['description'] === 'string' && { description: schema['description'] }),
      }
  }
  for (const keyword of plain) if (keyword in schema) result[keyword] = schema[keyword]
  for (const [group, stays] of [
    [samePlace, true],
    [inside, false],
  ] as const) {
    for (const keyword of group.one) if (keyword in schema) result[keyword] = into(schema[keyword], stays)
    for (const keyword of group.many) {
      const given = schema[keyword]
      if (Array.isArray(given) && given.length > 0) result[keyword] = given.map((one) => into(one, stays))
    }
    for (const keyword of group.named) {
      const given = schema[keyword]
      if (!isNode(given)) continue
      const kept = Object.entries(given).filter(([key, one]) =>
        keyword === 'patternProperties' ? isPattern(key) : !to.isLeftOut(one),
      )
      result[keyword] = Object.fromEntries(kept.map(([key, one]) => [key, into(one, stays)]))
    }
  }
  mendRequired(schema, result)
  mendValues(result)
  const meant = to.is30 ? mended30(schema, result) : result
  return to.isLoose ? loosened(meant) : meant
}

function mendRequired(schema: Node, result: Node): void {
  const { required } = schema
  if (required === undefined) return
  const [declared, kept] = [schema['properties'], result['properties']]
  const isGone = (name: unknown) =>
    isNode(declared) &&
    isNode(kept) &&
    Object.hasOwn(declared, String(name)) &&
    !Object.hasOwn(kept, String(name))
  const names = Array.isArray(required) ? [...new Set(required)].filter((name) => !isGone(name)) : []
  if (names.length > 0) result['required'] = names
  else delete result['required']
}

function mendValues(result: Node): void {
  if (typeof result['pattern'] === 'string' && !isPattern(result['pattern'])) delete result['pattern']
  if (Array.isArray(result['enum']) && result['enum'].length === 0) delete result['enum']
  // Bytes cannot be said in JSON: they are base64.
  if (result['format'] !== 'binary') return
  delete result['format']
  result['contentEncoding'] = 'base64'
}

/** What 3.0 says in words of its own. */
function mended30(schema: Node, result: Node): Node {
  for (const [exclusive, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    delete result[exclusive]
    if (!schema[exclusive] || typeof schema[limit] !== 'number') continue
    delete result[limit]
    result[exclusive] = schema[limit]
  }
  if (schema['nullable'] !== true) return result
  if (typeof result['type'] === 'string') {
    result['type'] = [result['type'], 'null']
    if (Array.isArray(result['enum']) && !result['enum'].includes(null))
      result['enum'] = [...result['enum'], null]
    return result
  }
  return samePlace.many.some((keyword) => keyword in result) ? { anyOf: [result, { type: 'null' }] } : result
}

/** Other languages have patterns that JavaScript cannot read; then the server alone checks. */
function isPattern(text: string): boolean {
  try {
    return new RegExp(text) instanceof RegExp
  } catch {
    return false
  }
}
