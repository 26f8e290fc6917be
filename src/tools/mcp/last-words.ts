/**
 * How a program ended, for people. A line of its standard error that complains is the reason: what runtimes print after it is of use to
 * nobody. Any other line is only said to have been the last, for programs print all sorts of things there.
 */
export function howItEnded(code: number | null, signal: NodeJS.Signals | null, words: string): string {
  const how = signal ? `it was ended by ${signal}` : `it ended with exit code ${code}`
  const lines = words
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  const why = lines.findLast((line) => named.test(line)) ?? lines.findLast((line) => complaint.test(line))
  if (why !== undefined) return `${how}: ${why}`
  const last = lines.at(-1)
  return last === undefined ? how : `${how}; the last line on its standard error was: ${last}`
}

const named = /^(?!at )(?:\[?\w*(?:Error|Exception)\b|error\b|fatal\b|panic\b|npm (?:error|ERR!))/i
const complaint =
  /\b(?:errors?|fail(?:ed|s|ure)?|fatal|could not|can ?not|can't|did not|unable|missing|required|not found|no such|unknown|invalid|unsupported|denied|refused|forbidden|broke|exports no|usage:)\b|\busage:/i
