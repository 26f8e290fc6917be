import { behind, isNode } from './document.ts'
import type { Document, Node } from './document.ts'
import type { OwnSchema, Schemas } from './schemas.ts'
import { BadPart } from './document.ts'

/**
 * What an answer looks like: only where every good answer is the same kind of JSON object, for whoever promises a shape has to keep it.
 * A document that is wrong about its answers can still be called.
 */
export function outputSchemaOf(document: Document, operation: Node, schemas: Schemas): OwnSchema | undefined {
  try {
    const responses = isNode(operation['responses']) ? operation['responses'] : {}
    const good = Object.keys(responses).filter((status) => status.startsWith('2'))
    if (good.length !== 1) return undefined
    const { content } = behind(document, responses[good[0]!], 'its answer')
    const [media, ...others] = isNode(content) ? Object.entries(content) : []
    if (!media || others.length > 0 || !/^application\/(?:[\w.-]+\+)?json\b/i.test(media[0])) return undefined
    const schema = isNode(media[1]) ? media[1]['schema'] : undefined
    if (!isNode(schema)) return undefined
    const object = behind(document, schema, 'its answer')
    if (object['type'] !== 'object' || object['nullable'] === true) return undefined
    const found = schemas.convert(object)
    return isNode(found.schema) ? schemas.own(found.schema, found.uses) : undefined
  } catch (error) {
    if (error instanceof BadPart) return undefined
    throw error
  }
}
