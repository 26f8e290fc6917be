const newline = 0x0a

/** The lines of UTF-8 bytes, read no faster than they are taken; the last one needs no end. Throws at one that is longer. */
export async function* linesOf(
  bytes: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<string, void> {
  let pieces: Uint8Array[] = []
  let size = 0
  const add = (piece: Uint8Array): void => {
    size += piece.length
    if (size > longest) throw new Error(`a line is longer than ${longest} bytes`)
    pieces.push(piece)
  }
  const taken = (): string => {
    const line = Buffer.concat(pieces).toString('utf8')
    pieces = []
    size = 0
    return line
  }
  for await (const chunk of bytes) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at))
      from = at + 1
      yield taken()
    }
    add(chunk.subarray(from))
  }
  if (size > 0) yield taken()
}
