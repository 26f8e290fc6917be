import { BadPart, behind, isNode, listOf } from './document.ts'
import type { Document, Node } from './document.ts'
import type { Operation, SecurityScheme } from './operation.ts'

/** What has to be shown to call an operation. */
export function securityOf(document: Document, operation: Node): Operation['security'] {
  const given = operation['security'] ?? document.root['security']
  if (given === undefined) return undefined
  return listOf(given)
    .filter(isNode)
    .map((requirement) => Object.keys(requirement).map((name) => schemeOf(document, name)))
}

function schemeOf(document: Document, name: string): SecurityScheme {
  const components = isNode(document.root['components']) ? document.root['components'] : {}
  const schemes = isNode(components['securitySchemes']) ? components['securitySchemes'] : {}
  if (!Object.hasOwn(schemes, name))
    throw new BadPart(`its security scheme ${JSON.stringify(name)} is not there`)
  const scheme = behind(document, schemes[name], 'its security scheme')
  const kind = String(scheme['type']).toLowerCase()
  if (kind === 'apikey') {
    const place = (['header', 'query', 'cookie'] as const).find((one) => one === scheme['in'])
    if (place && typeof scheme['name'] === 'string') return { kind: 'key', in: place, name: scheme['name'] }
  }
  const how = String(scheme['scheme']).toLowerCase()
  if (kind === 'http' && (how === 'bearer' || how === 'basic')) return { kind: how }
  if (kind === 'oauth2' || kind === 'openidconnect') return { kind: 'bearer' }
  return { kind: 'unknown', called: name }
}
