/** A part that has become another: where it was, and where it is. */
export interface Change {
  before: { from: number; to: number }
  after: { from: number; to: number }
}

interface Replacement {
  find: string
  replace: string
}

/** Where the text is, each after the end of the one before. */
export function occurrences(text: string, find: string): number[] {
  const found: number[] = []
  for (let at = text.indexOf(find); at !== -1; at = text.indexOf(find, at + find.length)) found.push(at)
  return found
}

export function replaceAt(
  text: string,
  places: readonly number[],
  { find, replace }: Replacement,
): { text: string; changes: Change[] } {
  const parts: string[] = []
  const changes: Change[] = []
  let [from, length] = [0, 0]
  for (const place of places) {
    parts.push(text.slice(from, place), replace)
    length += place - from
    from = place + find.length
    changes.push({ before: { from: place, to: from }, after: { from: length, to: length + replace.length } })
    length += replace.length
  }
  return { text: parts.join('') + text.slice(from), changes }
}

/** With lines that end as those of the file do: whoever asks may not know of CRLF. */
export function inLineEndsOf(text: string, { find, replace }: Replacement): Replacement {
  if (!text.includes('\r\n')) return { find, replace }
  const isFoundAsIs = text.includes(find)
  const hasOnlyCrlf = !/(?<!\r)\n/.test(text)
  return {
    find: isFoundAsIs ? find : withCrlf(find),
    replace: hasOnlyCrlf || !isFoundAsIs ? withCrlf(replace) : replace,
  }
}

const withCrlf = (text: string): string => text.replaceAll(/\r?\n/g, '\r\n')

/** In which lines these places are, in their order. */
export function lineNumbers(text: string, places: readonly number[]): number[] {
  let [line, at] = [1, 0]
  return places.map((place) => {
    for (let end = text.indexOf('\n', at); end !== -1 && end < place; end = text.indexOf('\n', at)) {
      line += 1
      at = end + 1
    }
    return line
  })
}
