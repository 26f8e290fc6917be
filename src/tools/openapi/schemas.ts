import { Ajv2020 } from 'ajv/dist/2020.js'
import { converted } from './convert-schema.ts'
import type { Conversion } from './convert-schema.ts'
import { BadPart, behind, isNode, pointedAt, shown, stepsOf } from './document.ts'
import type { Document, Node } from './document.ts'

/** A schema on its own: everything that it refers to is in its `$defs`. */
export interface OwnSchema {
  schema: Node
  /** Characters of JSON. */
  size: number
}
export interface Schemas {
  /** What is said, with references to `$defs`, and what it needs there. */
  convert(schema: unknown): { schema: unknown; uses: ReadonlySet<string> }
  /** Nobody sends it (or gets it, in answers). */
  isLeftOut(property: unknown): boolean
  /** Puts `$defs` in. Throws BadPart, if something in them cannot be used, or all of it is too much. */
  own(schema: Node, uses: Iterable<string>): OwnSchema
}

interface Definition {
  schema: unknown
  size: number
  uses: ReadonlySet<string>
  samePlace: ReadonlySet<string>
  fault?: string
}

export const largestSchema = 262_144
const ajv = new Ajv2020({ strict: false, logger: false })

/**
 * The schemas of a document, each converted once however many operations use it. What is only ever answered (`readOnly`) is not in a
 * request, and what is only ever sent (`writeOnly`) not in an answer.
 */
export function openSchemas(document: Document, of: 'requests' | 'answers'): Schemas {
  const leftOut = of === 'requests' ? 'readOnly' : 'writeOnly'
  const names = new Map<string, string>()
  const taken = new Set<string>()
  const definitions = new Map<string, Definition>()
  const endless = new Map<string, boolean>()

  function nameOf(reference: string): string {
    const known = names.get(reference)
    if (known !== undefined) return known
    pointedAt(document, reference)
    const last = stepsOf(reference).at(-1) ?? 'root'
    const plainName = last.replaceAll(/[^\w.-]/g, '_').slice(0, 100) || '_'
    let name = plainName
    for (let count = 2; taken.has(name); count += 1) name = `${plainName}_${count}`
    taken.add(name)
    names.set(reference, name)
    waiting.push([name, reference])
    return name
  }
  const waiting: [name: string, reference: string][] = []

  function isLeftOut(property: unknown): boolean {
    if (!isNode(property)) return false
    if (property[leftOut] === true) return true
    return typeof property['$ref'] === 'string' && behind(document, property, 'a property')[leftOut] === true
  }

  function convert(schema: unknown): Definition {
    const to: Conversion = {
      is30: document.is30,
      isLoose: of === 'answers',
      nameOf,
      isLeftOut,
      uses: new Set(),
      samePlace: new Set(),
    }
    const result = converted(schema, to)
    check(result)
    return { schema: result, size: JSON.stringify(result).length, uses: to.uses, samePlace: to.samePlace }
  }

  /** Converts what was only named until now, and what that names in turn. */
  function define(): void {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [name, reference] = next
      try {
        definitions.set(name, convert(pointedAt(document, reference)))
      } catch (error) {
        if (!(error instanceof BadPart)) throw error
        const fault = `the schema ${shown(reference)}: ${error.message}`
        definitions.set(name, { schema: {}, size: 0, uses: new Set(), samePlace: new Set(), fault })
      }
    }
  }

  function isEndless(start: string): boolean {
    const path: { name: string; next: Iterator<string> }[] = []
    const enter = (name: string) => {
      endless.set(name, true) // until it turns out that it ends
      path.push({ name, next: definitions.get(name)!.samePlace.values() })
    }
    if (!endless.has(start)) enter(start)
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const { value, done } = at.next.next()
      if (done) {
        endless.set(at.name, false)
        path.pop()
      } else if (!endless.has(value)) enter(value)
      else if (endless.get(value)) break // of everybody on the way it stays true
    }
    return endless.get(start)!
  }

  return {
    convert,
    isLeftOut,
    own(schema, uses) {
      define()
      const needed = new Set(uses)
      let size = JSON.stringify(schema).length
      for (const name of needed) {
        const definition = definitions.get(name)!
        if (definition.fault !== undefined) throw new BadPart(definition.fault)
        if (isEndless(name)) throw new BadPart(`the schema ${shown(name)} is defined by nothing but itself`)
        size += definition.size
        if (size > largestSchema) throw new BadPart(`its schema is larger than ${largestSchema / 1024} KB`)
        for (const further of definition.uses) needed.add(further)
      }
      const sorted = [...needed].toSorted()
      const defs = Object.fromEntries(sorted.map((name) => [name, definitions.get(name)!.schema]))
      return { schema: needed.size > 0 ? { ...schema, $defs: defs } : schema, size }
    },
  }
}

function check(schema: unknown): void {
  if (typeof schema === 'boolean' || ajv.validateSchema(schema as Node) === true) return
  const [first] = ajv.errors ?? []
  throw new BadPart(
    `one of its schemas is none: ${first?.instancePath || 'it'} ${first?.message ?? ''}`.trim(),
  )
}
