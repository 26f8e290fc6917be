import type { Diagnostic } from '#contract/execute.ts'

// What the checker and its process say to each other.

export interface ToChecker {
  id: number
  code: string
  /** Where the declarations are that it is checked against; undefined: its types are only taken away. */
  place: number | undefined
  /** The declarations, where they are not in their place yet. */
  tools?: string
  /** The declarations themselves are what is checked. */
  isDeclarations?: boolean
}

/** What runs, and its source map's mappings; or what is wrong with it. */
export type Checked = { code: string; mappings: string } | { syntax: Diagnostic[] } | { types: Diagnostic[] }

export type FromChecker =
  /** The native process that checks types: whoever ends one ends both. */
  | { type: 'native'; pid: number }
  | { type: 'checked'; id: number; checked: Checked }
  | { type: 'failed'; id: number; message: string }
