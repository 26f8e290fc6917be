const mostLines = 20_000
const longestLine = 200
const longestMs = 100

interface Miss {
  line: number
  text: string
  /** Nothing but white space is different. */
  differsInSpace: boolean
}

/** The place that looks most like a text that is not there, as far as it is found in a moment. */
export function nearestMiss(text: string, find: string): Miss | undefined {
  const lines = text.split('\n', mostLines)
  const wanted = find.split('\n', mostLines).map(squeezed)
  while (wanted.length > 1 && wanted[0] === '') wanted.shift()
  while (wanted.length > 1 && wanted.at(-1) === '') wanted.pop()
  const spaced = lines.findIndex((_, at) => isSameButForSpace(lines, wanted, at))
  const at = spaced === -1 ? mostAlike(lines, wanted) : spaced
  const line = lines[at]
  if (line === undefined) return undefined
  return { line: at + 1, text: line.trim().slice(0, longestLine), differsInSpace: spaced !== -1 }
}

const squeezed = (line: string): string => line.slice(0, 10_000).replaceAll(/\s+/g, '')

/** The first of the lines may begin in the middle of one, and the last may end there. */
function isSameButForSpace(lines: readonly string[], wanted: readonly string[], at: number): boolean {
  if (at + wanted.length > lines.length) return false
  return wanted.every((want, index) => {
    const line = squeezed(lines[at + index] ?? '')
    if (wanted.length === 1) return want !== '' && line.includes(want)
    if (index === 0) return want !== '' && line.endsWith(want)
    return index === wanted.length - 1 ? line.startsWith(want) : line === want
  })
}

/** The line that has most pairs of letters in common with the longest of those sought; -1 when none has half of them. */
function mostAlike(lines: readonly string[], wanted: readonly string[]): number {
  const longest = wanted.reduce((one, other) => (other.length > one.length ? other : one), '')
  const pairs = pairsOf(longest)
  let [best, bestShare] = [-1, 0.5]
  const until = performance.now() + longestMs
  for (const [at, line] of lines.entries()) {
    if (at % 100 === 0 && performance.now() > until) break
    const share = commonShare(pairs, pairsOf(squeezed(line.slice(0, 2 * longestLine))))
    if (share > bestShare) [best, bestShare] = [at, share]
  }
  return best
}

const pairsOf = (line: string): Set<string> =>
  new Set(Array.from({ length: Math.min(longestLine, line.length - 1) }, (_, at) => line.slice(at, at + 2)))

function commonShare(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let common = 0
  for (const pair of other) if (one.has(pair)) common += 1
  return (2 * common) / Math.max(1, one.size + other.size)
}
