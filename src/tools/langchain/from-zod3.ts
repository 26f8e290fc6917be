type Schema = Record<string, unknown>

/** A schema of zod 3 as JSON Schema, as far as its structure goes: zod itself cannot say it, and checks the rest when the tool is called. */
export function fromZod3(type: unknown): Schema {
  const definition = definitionOf(type)
  if (!definition) return {}
  const { description } = definition
  const schema = structure(definition)
  return typeof description === 'string' ? { ...schema, description } : schema
}

function structure(definition: Schema): Schema {
  const all = (types: unknown) => [...iterable(types)].map(fromZod3)
  switch (definition['typeName']) {
    case 'ZodString':
      return { type: 'string' }
    case 'ZodNumber':
      return { type: isInteger(definition) ? 'integer' : 'number' }
    case 'ZodBoolean':
      return { type: 'boolean' }
    case 'ZodNull':
      return { type: 'null' }
    case 'ZodLiteral':
      return { const: definition['value'] }
    case 'ZodEnum':
    case 'ZodNativeEnum':
      return { enum: Object.values(definition['values'] as object) }
    case 'ZodObject':
      return object(definition)
    case 'ZodArray':
    case 'ZodSet':
      return { type: 'array', items: fromZod3(definition['type'] ?? definition['valueType']) }
    case 'ZodTuple':
      return { type: 'array', prefixItems: all(definition['items']) }
    case 'ZodRecord':
      return { type: 'object', additionalProperties: fromZod3(definition['valueType']) }
    case 'ZodUnion':
    case 'ZodDiscriminatedUnion':
      return { anyOf: all(definition['options']) }
    case 'ZodIntersection':
      return { allOf: all([definition['left'], definition['right']]) }
    case 'ZodNullable':
      return { anyOf: [fromZod3(definition['innerType']), { type: 'null' }] }
    case 'ZodEffects':
      return fromZod3(definition['schema'])
    case 'ZodPipeline':
      return fromZod3(definition['in'])
    default:
      // Wrappers that say nothing of the value (optional, default, branded, readonly, catch), and what can be anything. `ZodLazy` is not
      // followed: it may lead back here.
      return fromZod3(
        definition['innerType'] ?? (definition['typeName'] === 'ZodBranded' ? definition['type'] : undefined),
      )
  }
}

function object(definition: Schema): Schema {
  const { shape } = definition
  const fields = Object.entries((typeof shape === 'function' ? shape() : shape) as object)
  const required = fields.filter(([, type]) => !isOptional(type)).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, type]) => [name, fromZod3(type)])),
    ...(required.length > 0 && { required }),
  }
}

const isOptional = (type: unknown) =>
  ['ZodOptional', 'ZodDefault', 'ZodCatch'].includes(String(definitionOf(type)?.['typeName']))

const isInteger = ({ checks }: Schema) =>
  [...iterable(checks)].some((check) => isRecord(check) && check['kind'] === 'int')

const definitionOf = (type: unknown): Schema | undefined =>
  isRecord(type) && isRecord(type['_def']) ? type['_def'] : undefined
const isRecord = (value: unknown): value is Schema => typeof value === 'object' && value !== null
const iterable = (value: unknown): Iterable<unknown> => (Array.isArray(value) ? value : [])
