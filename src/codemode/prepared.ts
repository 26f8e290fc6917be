import { createHash } from 'node:crypto'
import { CheckEnded } from './check/checker.ts'
import type { Checker } from './check/checker.ts'
import { failed, invalid } from './errors.ts'
import type { CodeEnding, CodeWanted } from './port.ts'
import { strip } from './strip/strip.ts'
import type { LineMap } from './strip/line-map.ts'

/** Code that can run, or the reason why it is not run. */
export type Prepared = { code: string; map: LineMap } | { refused: CodeEnding }

const mostKept = 500
const mostKeptBytes = 16 * 1024 ** 2

/** Checks and strips, and remembers what came of it: the same code against the same API is not looked at twice. */
export class Preparation {
  readonly #checker: Checker
  readonly #kept = new Map<string, { prepared: Prepared; bytes: number }>()
  #bytes = 0

  constructor(checker: Checker) {
    this.#checker = checker
  }

  /** Rejects with the signal's reason. */
  async prepare(wanted: CodeWanted, signal: AbortSignal): Promise<Prepared> {
    const key = keyOf(wanted)
    const known = this.#kept.get(key)
    if (known) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known.prepared
    }
    const prepared = await this.#prepared(wanted, signal)
    this.#keep(key, prepared)
    return prepared
  }

  async #prepared(wanted: CodeWanted, signal: AbortSignal): Promise<Prepared> {
    const { code, isTypeScript, isChecked, owner, api } = wanted
    const stripped = await strip(code, isTypeScript)
    if ('broken' in stripped) return { refused: invalid('SYNTAX_ERROR', stripped.broken) }
    if (!isTypeScript || !isChecked) return stripped
    try {
      const complaints = await this.#checker.check(owner, api.text, code, signal)
      if (complaints.length === 0) return stripped
      return { refused: invalid('TYPE_ERROR', complaints) }
    } catch (error) {
      if (error instanceof CheckEnded)
        return {
          refused: failed({
            type: 'validation',
            code: 'TYPE_ERROR',
            message: error.message,
            details: { diagnostics: [] },
          }),
        }
      throw error
    }
  }

  #keep(key: string, prepared: Prepared): void {
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

const keyOf = ({ code, isTypeScript, isChecked, api }: CodeWanted): string =>
  createHash('sha256')
    .update(isTypeScript ? (isChecked ? api.hash : 'unchecked') : 'javascript')
    .update('\0')
    .update(code)
    .digest('base64')
