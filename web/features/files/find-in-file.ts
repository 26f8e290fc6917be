/** In which lines a text is, upper and lower case being the same. */
export function matchesIn(lines: readonly string[], sought: string): number[] {
  const text = sought.toLowerCase()
  if (text === '') return []
  return lines.flatMap((line, at) => (line.toLowerCase().includes(text) ? [at] : []))
}

/** A line in pieces: every second one is what is sought. */
export function piecesOf(line: string, sought: string): string[] {
  const text = sought.toLowerCase()
  // Some letters are longer in lower case: then nothing can be marked by its place.
  const low = line.toLowerCase()
  if (text === '' || low.length !== line.length) return [line]
  const pieces: string[] = []
  let from = 0
  for (let at = low.indexOf(text); at >= 0; at = low.indexOf(text, from)) {
    pieces.push(line.slice(from, at), line.slice(at, at + text.length))
    from = at + text.length
  }
  return [...pieces, line.slice(from)]
}
