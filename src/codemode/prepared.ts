import { createHash } from 'node:crypto'
import type { Diagnostic } from '#contract/execute.ts'
import { isNestedDeeper } from '#lib/nested-deeper.ts'
import { CheckEnded } from './check/checker.ts'
import type { Checker } from './check/checker.ts'
import { suggested } from './check/suggest.ts'
import type { Known } from './check/suggest.ts'
import { contextTooDeep, invalid } from './errors.ts'
import type { CodeEnding, CodeWanted } from './port.ts'
import { mostDepth } from './sandbox/depth.ts'
import { mayLeaveBody } from './strip/leaves-body.ts'
import { lineMap, sameLines } from './strip/line-map.ts'
import type { LineMap } from './strip/line-map.ts'
import { asFunction } from './strip/strip.ts'

/** Code that can run, or the reason why it is not run. */
export type Prepared = Runnable | { refused: CodeEnding }

export interface Runnable {
  code: string
  map: LineMap
  /** Whether it stays the body of its function is not known yet. */
  isUnread?: boolean
}

/** What has to be known of code to read it. */
type ToRead = Pick<CodeWanted, 'owner' | 'code' | 'api' | 'isTypeScript' | 'isChecked' | 'context'>

const mostKept = 500
const mostKeptBytes = 16 * 1024 ** 2

/** Checks and strips, and remembers what came of it: the same code against the same API is not looked at twice. */
export class Preparation {
  readonly #checker: Checker
  readonly #knownOf: (hash: string) => Known | undefined
  readonly #kept = new Map<string, { prepared: Prepared; bytes: number }>()
  #bytes = 0

  /** `knownOf` says what an API has, by its hash. */
  constructor(checker: Checker, knownOf: (hash: string) => Known | undefined) {
    this.#checker = checker
    this.#knownOf = knownOf
  }

  /** What needs no looking at. */
  known(wanted: ToRead): Prepared | undefined {
    if (isNestedDeeper(wanted.context, mostDepth)) return { refused: contextTooDeep }
    // What is wrong with the syntax of JavaScript is told by what runs it.
    if (!wanted.isTypeScript)
      return { code: asFunction(wanted.code), map: sameLines, isUnread: mayLeaveBody(wanted.code) }
    const key = keyOf(wanted)
    const known = this.#kept.get(key)
    if (!known) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, known)
    return known.prepared
  }

  /** Rejects with the signal's reason. */
  async prepare(wanted: ToRead, signal: AbortSignal): Promise<Prepared> {
    const prepared = await this.#prepared(wanted, signal)
    this.#keep(keyOf(wanted), prepared)
    return prepared
  }

  async #prepared(wanted: ToRead, signal: AbortSignal): Promise<Prepared> {
    const { code, isChecked, owner, api } = wanted
    try {
      const checked = await this.#checker.check(owner, code, isChecked ? api.text : undefined, signal)
      if ('code' in checked) return { code: checked.code, map: lineMap(checked.mappings) }
      if ('syntax' in checked) return { refused: invalid('SYNTAX_ERROR', checked.syntax) }
      const known = this.#knownOf(api.hash)
      const types = known ? checked.types.map((one) => suggested(one, code, known)) : checked.types
      return { refused: invalid('TYPE_ERROR', types.map(withWayOut)) }
    } catch (error) {
      if (!(error instanceof CheckEnded)) throw error
      return { refused: invalid('TYPE_ERROR', [], error.message) }
    }
  }

  #keep(key: string, prepared: Prepared): void {
    const before = this.#kept.get(key)
    this.#bytes -= before?.bytes ?? 0
    const bytes = 'code' in prepared ? prepared.code.length * 2 : 2_000
    this.#kept.set(key, { prepared, bytes })
    this.#bytes += bytes
    for (const [oldest, one] of this.#kept) {
      if (this.#kept.size <= mostKept && this.#bytes <= mostKeptBytes) return
      this.#kept.delete(oldest)
      this.#bytes -= one.bytes
    }
  }
}

/** Where it is wrong. What is wrong with all of it is told at its beginning. */
export function diagnosticsOf(refused: CodeEnding): readonly Diagnostic[] {
  if (refused.isFine) return []
  const { diagnostics = [] } = refused.details
  return diagnostics.length > 0 ? diagnostics : [{ line: 1, column: 1, message: refused.message }]
}

/** TypeScript's numbers for types that it gives up on. */
const tooComplex = new Set([2589, 2590])

/** The types of a tool are its own, not of whoever calls it. */
const withWayOut = (found: Diagnostic): Diagnostic =>
  tooComplex.has(found.code ?? 0)
    ? {
        ...found,
        suggestion:
          'If these are the types of a tool, run the code without a check of its types: check: false.',
      }
    : found

const keyOf = ({ code, isChecked, api }: ToRead): string =>
  createHash('sha256')
    .update(isChecked ? api.hash : 'unchecked')
    .update('\0')
    .update(code)
    .digest('base64')
