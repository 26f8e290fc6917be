export type Node = Record<string, unknown>

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
/** What a document says without quotes is no text yet: `3.0`, `true`. */
export const wordOf = (value: unknown): string =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : ''
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Nothing of the document can be used. The sentence is for whoever registered it. */
export class BadDocument extends Error {
  override name = 'BadDocument'
}
/** One operation or schema cannot be used; the others can. */
export class BadPart extends Error {
  override name = 'BadPart'
}

/** An OpenAPI document that has been read, and where it came from. */
export interface Document {
  root: Node
  is30: boolean
  title: string
  version: string
  /** Addresses in it may be relative to this. */
  address?: string
}

/** What `#/components/…` points at. */
export function pointedAt(document: Document, reference: string): unknown {
  if (!reference.startsWith('#')) {
    throw new BadPart(
      `it refers to ${shown(reference)}, and only references inside the document are followed`,
    )
  }
  if (reference !== '#' && !reference.startsWith('#/')) {
    throw new BadPart(`it refers to ${shown(reference)}, which is no path in the document`)
  }
  let found: unknown = document.root
  for (const step of stepsOf(reference)) {
    const has = typeof found === 'object' && found !== null && Object.hasOwn(found, step)
    if (!has) throw new BadPart(`it refers to ${shown(reference)}, which is not there`)
    found = (found as Node)[step]
  }
  return found
}

/** The steps of a JSON pointer in a fragment. */
export function stepsOf(reference: string): string[] {
  const steps = reference.split('/').slice(1)
  return steps.map((step) => unescaped(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** The parameter, body, response or schema itself, behind whatever references lead to it. */
export function behind(document: Document, value: unknown, what: string): Node {
  const passed = new Set<string>()
  let found = value
  while (isNode(found) && typeof found['$ref'] === 'string') {
    const reference = found['$ref']
    if (passed.has(reference)) throw new BadPart(`${what} refers to itself by ${shown(reference)}`)
    passed.add(reference)
    found = pointedAt(document, reference)
  }
  if (!isNode(found)) throw new BadPart(`${what} is no object`)
  return found
}

/** Text of the document in a sentence of ours. */
export const shown = (text: string): string =>
  JSON.stringify(text.length > 100 ? `${text.slice(0, 99)}…` : text)
