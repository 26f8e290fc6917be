import { cancelled, notAdmitted, notBegun } from './errors.ts'
import { CodeBusy } from './port.ts'
import type { CodeEnding, CodeRun, FrozenRun } from './port.ts'

/** A run that does not begin. */
export const overAlready = (ending: CodeEnding): CodeRun => ({
  ended: Promise.resolve(ending),
  freeze: () => Promise.resolve(undefined),
  cancel: () => undefined,
})

/** A run whose code is still being looked at. */
export class UncheckedRun implements CodeRun {
  readonly #leave = new AbortController()
  readonly #begun: Promise<CodeRun>
  readonly ended: Promise<CodeEnding | undefined>

  constructor(begin: (signal: AbortSignal) => Promise<CodeRun>, onNote: (note: string) => void) {
    this.#begun = begin(this.#leave.signal).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      if (this.#leave.signal.aborted) return overAlready(cancelled(message))
      if (error instanceof CodeBusy) return overAlready(notAdmitted(message))
      onNote(`Code could not be checked: ${message}`)
      return overAlready(notBegun())
    })
    this.ended = this.#begun.then((run) => run.ended)
  }

  async freeze(): Promise<FrozenRun | undefined> {
    const run = await this.#begun
    return run.freeze()
  }

  cancel(message: string): void {
    this.#leave.abort(message)
    void this.#begun.then((run) => run.cancel(message))
  }
}
