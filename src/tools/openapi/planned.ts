import { baseOf } from './base-address.ts'
import { BadDocument, BadPart } from './document.ts'
import type { Document } from './document.ts'
import type { Operation } from './operation.ts'
import { operationsOf } from './operations.ts'

/** A document that is understood: what can be called, and where. */
export interface Planned {
  title: string
  version: string
  operations: ReadonlyMap<string, Operation>
  /** The origin that credentials are for. */
  home: string
  told: readonly string[]
}

/** Rejects with BadDocument, if nothing in it can be called. */
export async function planned(document: Document, base?: string): Promise<Planned> {
  const { found, told } = await operationsOf(document, base)
  const [first] = found.values()
  if (!first) {
    throw new BadDocument(
      told.length > 0
        ? `None of its operations can be called. ${told[0]}`
        : 'The document has no operations: there is nothing to call',
    )
  }
  const { title, version } = document
  return {
    title,
    version,
    operations: found,
    home: homeOf(document, base) ?? new URL(first.base).origin,
    told,
  }
}

function homeOf(document: Document, base: string | undefined): string | undefined {
  try {
    return new URL(baseOf(document, document.root['servers'], base)).origin
  } catch (error) {
    if (error instanceof BadPart) return undefined
    throw error
  }
}
