import { comment } from './docs.ts'
import type { ApiTool } from './generate.ts'
import { parameterNames } from './names.ts'
import { propertiesOf } from './schema.ts'
import type { Schema } from './schema.ts'
import { typeOf } from './type-of.ts'

const longestDescription = 400
const mostPositional = 6
const longestType = 30_000

/** One tool as a member of its namespace: with one object, and with values one after the other where these can be told apart. */
export function declarationOf(member: string, tool: ApiTool): string {
  const { description, inputSchema, outputSchema, observed, deprecated } = tool
  const docs = [
    ...(description ? [comment(description, longestDescription)] : []),
    ...(deprecated ? ['@deprecated'] : []),
  ]
  const output = outputSchema
    ? bounded(typeOf(outputSchema, { withDocs: false, unsure: 'any' }), 'any')
    : observed
  const result = `Promise<${output ?? 'any'}>`
  const positional = positionalOf(inputSchema)
  return [
    ...(docs.length > 0 ? [`/** ${docs.join(' ')} */`] : []),
    ...(positional ? [`${member}(${positional}): ${result}`] : []),
    // The last one: it is the one whose complaint is told when none fits.
    `${member}(${objectOf(inputSchema)}): ${result}`,
  ].join('\n')
}

function objectOf(schema: Schema): string {
  const { names, needed } = propertiesOf(schema)
  const isEmpty =
    names.length === 0 &&
    needed.size === 0 &&
    !['anyOf', 'oneOf', 'additionalProperties', 'patternProperties'].some((word) => schema[word])
  if (isEmpty) return 'args?: Record<string, never>'
  return `args${needed.size === 0 ? '?' : ''}: ${bounded(typeOf({ type: 'object', ...schema }), 'Record<string, unknown>')}`
}

/** The same one after the other, in the order of the schema. */
function positionalOf(schema: Schema): string | undefined {
  const { names, of, needed } = propertiesOf(schema)
  if (names.length === 0 || names.length > mostPositional || 'anyOf' in schema || 'oneOf' in schema)
    return undefined
  const types = names.map((name) => bounded(typeOf(of[name], { withDocs: false, root: schema }), 'unknown'))
  if (!isTold(types[0]!)) return undefined
  const lastNeeded = names.findLastIndex((name) => needed.has(name))
  const parameters = parameterNames(names)
  return names
    .map((name, index) => {
      if (index > lastNeeded) return `${parameters[index]}?: ${types[index]}`
      return `${parameters[index]}: ${types[index]}${needed.has(name) ? '' : ' | undefined'}`
    })
    .join(', ')
}

/** One that is no object is a value, and not all of the arguments. */
const isTold = (type: string): boolean =>
  !/[{]|\b(Record|unknown|any|never)\b/.test(type.replaceAll(/"(?:[^"\\]|\\.)*"/g, ''))

const bounded = (type: string, otherwise: string): string => (type.length > longestType ? otherwise : type)
