/** The result, or the end of the process with a message for the person who started it instead of a stack trace. */
export function orExit<Result>(code: number, work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(code)
  }
}
