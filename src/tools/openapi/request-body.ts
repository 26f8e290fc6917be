import { BadPart, behind, isNode, textOf } from './document.ts'
import type { Document, Node } from './document.ts'
import type { Body, BodyKind, Field, Style } from './operation.ts'

/** A body, and what the document says of it. */
export interface DeclaredBody extends Body {
  schema: unknown
  description?: string
  isRequired: boolean
  /** The properties that stand beside the parameters; none: the body is one argument. */
  flat?: { properties: Node; required: readonly string[] }
}

const kinds: readonly [pattern: RegExp, kind: BodyKind][] = [
  [/^application\/json$/, 'json'],
  [/^[\w.+-]+\/[\w.+-]+\+json$/, 'json'],
  [/^\*\/\*$|^application\/\*$/, 'json'],
  [/^application\/x-www-form-urlencoded$/, 'form'],
  [/^multipart\/form-data$/, 'multipart'],
  [/^text\/plain$/, 'text'],
  [/^text\//, 'text'],
  [/^application\/octet-stream$|^(?:image|audio|video)\//, 'bytes'],
]
/** With these alone an object is a list of properties, and nothing more is asked of it as a whole. */
const flatKeywords =
  /^(?:type|properties|required|title|description|examples?|xml|externalDocs|deprecated|default|x-.*)$/

/** `taken` are the names of the parameters. */
export function bodyOf(
  document: Document,
  given: unknown,
  taken: ReadonlySet<string>,
): DeclaredBody | undefined {
  if (given === undefined) return undefined
  const body = behind(document, given, 'its body')
  const content = isNode(body['content']) ? body['content'] : {}
  const chosen = choose(Object.keys(content))
  const isRequired = body['required'] === true
  if (!chosen) {
    if (!isRequired) return undefined
    throw new BadPart(
      `its body can only be sent as ${Object.keys(content).join(', ').slice(0, 200) || 'nothing'}`,
    )
  }
  const media = isNode(content[chosen.type]) ? (content[chosen.type] as Node) : {}
  const schema = media['schema'] ?? {}
  const flat = flatOf(document, schema, isRequired, taken, chosen.kind)
  return {
    kind: chosen.kind,
    contentType: chosen.type.includes('*') ? 'application/json' : chosen.type,
    arguments: flat ? Object.keys(flat.properties) : 'body',
    fields: fieldsOf(document, schema, media['encoding'], chosen.kind),
    schema,
    ...(typeof body['description'] === 'string' && { description: body['description'] }),
    isRequired,
    ...(flat && { flat }),
  }
}

function choose(types: readonly string[]): { type: string; kind: BodyKind } | undefined {
  for (const [pattern, kind] of kinds) {
    const type = types.find((one) => pattern.test(one.split(';', 1)[0]!.trim().toLowerCase()))
    if (type !== undefined) return { type, kind }
  }
  return undefined
}

function flatOf(
  document: Document,
  schema: unknown,
  isRequired: boolean,
  taken: ReadonlySet<string>,
  kind: BodyKind,
): DeclaredBody['flat'] {
  if (!isNode(schema) || kind === 'text' || kind === 'bytes') return undefined
  const object = behind(document, schema, 'its body')
  const { properties, additionalProperties, ...rest } = object
  if (!isNode(properties) || (object['type'] ?? 'object') !== 'object') return undefined
  if (additionalProperties !== undefined && additionalProperties !== false) return undefined
  if (!Object.keys(rest).every((keyword) => flatKeywords.test(keyword))) return undefined
  const required = Array.isArray(object['required'])
    ? object['required'].filter((one) => typeof one === 'string')
    : []
  // A body that may be missing, and has to have something if it is there, is one argument that may be missing.
  if (!isRequired && required.length > 0) return undefined
  const names = Object.keys(properties)
  if (names.length === 0 || names.some((name) => taken.has(name))) return undefined
  return { properties, required }
}

function fieldsOf(
  document: Document,
  schema: unknown,
  encoding: unknown,
  kind: BodyKind,
): Map<string, Field> {
  const fields = new Map<string, Field>()
  if (!['form', 'multipart'].includes(kind) || !isNode(schema)) return fields
  const { properties } = behind(document, schema, 'its body')
  if (!isNode(properties)) return fields
  for (const [name, property] of Object.entries(properties)) {
    const how =
      isNode(encoding) && Object.hasOwn(encoding, name) && isNode(encoding[name]) ? encoding[name] : {}
    const contentType = textOf(how['contentType'])?.split(',', 1)[0]?.trim()
    const style = textOf(how['style']) as Style | undefined
    fields.set(name, {
      isFile: kind === 'multipart' && isFile(document, property),
      ...(contentType && !contentType.includes('*') && { contentType }),
      ...(style && { written: { name, style, explode: (how['explode'] ?? style === 'form') === true } }),
    })
  }
  return fields
}

/** Bytes, which are base64 among the arguments. */
function isFile(document: Document, property: unknown): boolean {
  if (!isNode(property)) return false
  const schema = behind(document, property, 'a property')
  if (schema['type'] === 'array') return isFile(document, schema['items'])
  return (
    schema['format'] === 'binary' || schema['contentEncoding'] === 'base64' || 'contentMediaType' in schema
  )
}
