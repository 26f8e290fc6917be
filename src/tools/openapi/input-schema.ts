import { BadPart, isNode } from './document.ts'
import type { Node } from './document.ts'
import type { DeclaredParameter } from './parameters.ts'
import type { DeclaredBody } from './request-body.ts'
import type { OwnSchema, Schemas } from './schemas.ts'

/**
 * One flat object. A parameter is known by its name. The properties of the body stand beside the parameters, if the body is a plain object
 * and none of them has the name of a parameter; else the body is one argument, `body`.
 */
export function inputSchemaOf(
  parameters: readonly DeclaredParameter[],
  body: DeclaredBody | undefined,
  schemas: Schemas,
): OwnSchema {
  const properties: Node = {}
  const required: string[] = []
  const uses = new Set<string>()
  const add = (name: string, schema: unknown, isRequired: boolean, more: Node = {}) => {
    const found = schemas.convert(schema)
    for (const one of found.uses) uses.add(one)
    const said = isNode(found.schema) ? found.schema : found.schema === false ? { not: {} } : {}
    define(properties, name, { ...said, ...more })
    if (isRequired) required.push(name)
  }
  for (const parameter of parameters) {
    add(parameter.argument, parameter.schema, parameter.isRequired, {
      ...(parameter.description && { description: parameter.description }),
      ...(parameter.isDeprecated && { deprecated: true }),
    })
  }
  if (body?.flat)
    addProperties(body.flat, schemas, (name, schema, isRequired) => add(name, schema, isRequired))
  else if (body) {
    if (parameters.some(({ argument }) => argument === 'body')) {
      throw new BadPart('a parameter is called "body", which is the name of the body itself')
    }
    const bytes = body.kind === 'bytes' ? { type: 'string', contentEncoding: 'base64' } : {}
    const text = body.kind === 'text' ? { type: 'string' } : {}
    add('body', body.schema, body.isRequired, {
      ...text,
      ...bytes,
      ...(body.description && { description: body.description }),
    })
  }
  const schema: Node = { type: 'object', properties, additionalProperties: false }
  return schemas.own(required.length > 0 ? { ...schema, required } : schema, uses)
}

function addProperties(
  flat: NonNullable<DeclaredBody['flat']>,
  schemas: Schemas,
  add: (name: string, schema: unknown, isRequired: boolean) => void,
): void {
  for (const [name, schema] of Object.entries(flat.properties)) {
    if (!schemas.isLeftOut(schema)) add(name, schema, flat.required.includes(name))
  }
}

/** Whatever it is called, `__proto__` too. */
function define(properties: Node, name: string, value: unknown): void {
  Object.defineProperty(properties, name, { value, enumerable: true, configurable: true, writable: true })
}
