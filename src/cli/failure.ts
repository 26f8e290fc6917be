import type { ErrorAnswer } from '#contract/answer.ts'

/** Something the person at the terminal should read; it ends the command with this exit code. */
export class Failure extends Error {
  readonly exitCode: number
  /** What the API answered, where it was the API that refused; `--json` prints it as it is. */
  readonly refusal: ErrorAnswer['error'] | undefined

  constructor(message: string, exitCode = 1, refusal?: ErrorAnswer['error']) {
    super(message)
    this.name = 'Failure'
    this.exitCode = exitCode
    this.refusal = refusal
  }
}
