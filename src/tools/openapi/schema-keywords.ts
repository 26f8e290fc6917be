/** What a schema has, by what stands behind it. Whatever is in none of these lists says nothing about arguments, and is left out. */

/** They speak of the same value as the schema that they stand in. */
export const samePlace = {
  one: ['not', 'if', 'then', 'else'],
  many: ['allOf', 'anyOf', 'oneOf'],
  named: ['dependentSchemas'],
} as const

/** They speak of a value inside. */
export const inside = {
  one: [
    'items',
    'additionalProperties',
    'contains',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
  ],
  many: ['prefixItems'],
  named: ['properties', 'patternProperties'],
} as const

export const plain = [
  'type',
  'enum',
  'const',
  'title',
  'description',
  'default',
  'examples',
  'format',
  'multipleOf',
  'maximum',
  'minimum',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'uniqueItems',
  'maxContains',
  'minContains',
  'maxProperties',
  'minProperties',
  'required',
  'dependentRequired',
  'contentEncoding',
  'contentMediaType',
  'deprecated',
] as const
