/** The word that was probably meant, if one is near enough. */
export function nearestWord(written: string, known: readonly string[]): string | undefined {
  const wanted = plain(written.slice(0, 60))
  const ranked = known
    .map((word) => ({ word, distance: distance(wanted, plain(word)) }))
    .toSorted((one, other) => one.distance - other.distance)
  const best = ranked[0]
  const most = wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3))
  return best && best.distance <= most ? best.word : undefined
}

const plain = (word: string) => word.toLowerCase().replace(/[^a-z0-9]/g, '')

/** How many letters must be changed, added or taken away (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [line, letter] of one.split('').entries()) {
    const next = [line + 1]
    for (const [column, against] of other.split('').entries()) {
      const replaced = (row[column] ?? 0) + (letter === against ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
