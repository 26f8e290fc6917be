import { hopByHop } from '#lib/hop-by-hop.ts'
import { BadPart, behind, isNode, listOf, shown, textOf, wordOf } from './document.ts'
import type { Document, Node } from './document.ts'
import type { Parameter, Place, Style } from './operation.ts'

/** A parameter, and what the document says of its values. */
export interface DeclaredParameter extends Parameter {
  schema: unknown
  description?: string
  isRequired: boolean
  isDeprecated: boolean
}

const places: readonly Place[] = ['path', 'query', 'header', 'cookie']
const stylesOf: Record<Place, readonly Style[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}
/** They are not the caller's to say; OpenAPI itself ignores the first three. */
const oursAlone = new Set([
  'accept',
  'content-type',
  'authorization',
  'host',
  'content-length',
  'cookie',
  'expect',
  ...hopByHop,
])
const token = /^[\w!#$%&'*+.^`|~-]+$/

/** The parameters of an operation and of its path; the operation's word counts where both have the same. */
export function parametersOf(document: Document, pathItem: Node, operation: Node): DeclaredParameter[] {
  const found = new Map<string, DeclaredParameter>()
  for (const given of [...listOf(pathItem['parameters']), ...listOf(operation['parameters'])]) {
    const parameter = declared(behind(document, given, 'a parameter'))
    const isOurs = parameter.in === 'header' && oursAlone.has(parameter.name.toLowerCase())
    if (!isOurs) found.set(`${parameter.in} ${parameter.name}`, parameter)
  }
  return withArguments([...found.values()])
}

function declared(given: Node): DeclaredParameter {
  const name = textOf(given['name'])
  if (!name || name.length > 200) throw new BadPart('a parameter has no name that can be used')
  const place = places.find((one) => one === given['in'])
  if (!place)
    throw new BadPart(`the parameter ${shown(name)} is in ${shown(wordOf(given['in']))}, which is no place`)
  if (place !== 'path' && place !== 'query' && !token.test(name)) {
    throw new BadPart(`the parameter ${shown(name)} has a name that no ${place} can have`)
  }
  const [media] = isNode(given['content']) ? Object.entries(given['content']) : []
  const style = media ? 'json' : styleOf(place, given['style'], name)
  return {
    argument: name,
    name,
    in: place,
    style,
    explode:
      typeof given['explode'] === 'boolean' ? given['explode'] : style === 'form' || style === 'deepObject',
    allowReserved: given['allowReserved'] === true,
    schema: (media ? isNode(media[1]) && media[1]['schema'] : given['schema']) || {},
    ...(typeof given['description'] === 'string' && { description: given['description'] }),
    isRequired: place === 'path' || given['required'] === true,
    isDeprecated: given['deprecated'] === true,
  }
}

function styleOf(place: Place, given: unknown, name: string): Style {
  const styles = stylesOf[place]
  if (given === undefined) return styles[0]!
  const style = styles.find((one) => one === given)
  if (!style)
    throw new BadPart(
      `the parameter ${shown(name)} has a style that no ${place} has: ${shown(wordOf(given))}`,
    )
  return style
}

/** Where two places have the same name, the first of path, query, header and cookie keeps it; the other is `query_id`. */
function withArguments(parameters: DeclaredParameter[]): DeclaredParameter[] {
  const sorted = places.flatMap((place) => parameters.filter((parameter) => parameter.in === place))
  const taken = new Set<string>()
  return sorted.map((parameter) => {
    const argument = taken.has(parameter.name) ? `${parameter.in}_${parameter.name}` : parameter.name
    if (taken.has(argument)) throw new BadPart(`there are two parameters ${shown(argument)}`)
    taken.add(argument)
    return { ...parameter, argument }
  })
}
