/** The result, or the end of the process with a message for the person who started it instead of a stack trace. */
export async function orExit<Result>(code: number, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(code)
  }
}
