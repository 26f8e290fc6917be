import { isNode } from './document.ts'
import type { Node } from './document.ts'

/** New values come into the world, and servers are less strict with themselves than their documents. */
const strict = new Set([
  'enum',
  'const',
  'format',
  'pattern',
  'patternProperties',
  'propertyNames',
  'multipleOf',
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'not',
])

/**
 * The shape that an answer has, without what it must not be: whoever calls is told what to expect, and an answer is not taken for
 * broken because of a word that is new. What is not required may be null.
 */
export function loosened(schema: Node): Node {
  const { oneOf, ...kept } = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !strict.has(keyword)),
  )
  const { properties, additionalProperties } = kept
  if (additionalProperties === false) delete kept['additionalProperties']
  if (Array.isArray(oneOf)) {
    if (kept['anyOf'] === undefined) kept['anyOf'] = oneOf
    else kept['allOf'] = [...(Array.isArray(kept['allOf']) ? kept['allOf'] : []), { anyOf: oneOf }]
  }
  if (!isNode(properties)) return kept
  const required = new Set(Array.isArray(kept['required']) ? kept['required'] : [])
  const entries = Object.entries(properties).map(([name, one]) => [
    name,
    required.has(name) ? one : orNull(one),
  ])
  return { ...kept, properties: Object.fromEntries(entries) as Node }
}

function orNull(schema: unknown): unknown {
  if (!isNode(schema)) return schema
  const { type } = schema
  if (typeof type === 'string') return type === 'null' ? schema : { ...schema, type: [type, 'null'] }
  if (Array.isArray(type)) return type.includes('null') ? schema : { ...schema, type: [...type, 'null'] }
  return Object.keys(schema).some((keyword) => ['$ref', 'allOf', 'anyOf'].includes(keyword))
    ? { anyOf: [schema, { type: 'null' }] }
    : schema
}
