import { inertLine } from '#lib/inert-text.ts'

type Schema = Record<string, unknown>

/**
 * Why a schema cannot be followed, if it cannot: one word in it that nobody understands leaves only its outline (compiled-schema.ts). Looked
 * for without compiling it, for there may be thousands. It is not deeper than a definition may be.
 */
export function whyUnchecked(schema: Schema): string | undefined {
  const hasNames = /"\$(?:id|anchor|dynamicAnchor)":/.test(JSON.stringify(schema))
  const followed = new Set<string>()
  const visit = (part: unknown): string | undefined => {
    if (Array.isArray(part)) return firstOf(part, visit)
    if (!isRecord(part)) return undefined
    return (
      faultOfType(part['type']) ??
      faultOfPattern(part['pattern']) ??
      (hasNames ? undefined : faultOfReference(schema, part['$ref'], followed)) ??
      firstOf(
        inside.filter((word) => word in part),
        (word) => visit(part[word]),
      ) ??
      firstOf(
        named.filter((word) => word in part),
        (word) => {
          const parts = part[word]
          return isRecord(parts) ? firstOf(Object.values(parts), visit) : undefined
        },
      )
    )
  }
  return visit(schema)
}

const inside = [
  'items',
  'prefixItems',
  'additionalItems',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
  'contains',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
]
const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']
const types = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

function faultOfType(type: unknown): string | undefined {
  if (type === undefined) return undefined
  const wrong = (Array.isArray(type) ? type : [type]).find((one) => !types.has(one as string))
  return wrong === undefined ? undefined : `${quoted(wrong)} is no type`
}

function faultOfPattern(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return undefined
  try {
    return void new RegExp(pattern)
  } catch {
    return `the pattern ${quoted(pattern)} is none`
  }
}

/** References are followed within the schema only, and not in circles that lead nowhere. Each is followed once. */
function faultOfReference(schema: Schema, from: unknown, followed: Set<string>): string | undefined {
  const seen = new Set<string>()
  for (let at = from; typeof at === 'string' && !followed.has(at);) {
    if (!at.startsWith('#')) return `it refers to ${quoted(at)}, which is not fetched`
    if (seen.has(at)) return `${quoted(at)} refers to itself`
    seen.add(at)
    const target = targetOf(schema, at)
    if (target === undefined) return `it refers to ${quoted(at)}, which is not there`
    at = isRecord(target) ? target['$ref'] : undefined
  }
  for (const one of seen) followed.add(one)
  return undefined
}

function targetOf(schema: Schema, reference: string): unknown {
  let at: unknown = schema
  for (const step of reference.split('/').slice(1)) {
    const key = unescaped(step)
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Schema)[key]
  }
  return at
}

function unescaped(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

const quoted = (value: unknown): string => inertLine(JSON.stringify(value)?.slice(0, 100) ?? '')
const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function firstOf<T>(all: readonly T[], look: (one: T) => string | undefined): string | undefined {
  for (const one of all) {
    const found = look(one)
    if (found !== undefined) return found
  }
  return undefined
}
