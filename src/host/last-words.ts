/** Keeps the end of what was said, and forgets the rest. */
export interface LastWords {
  add(piece: Buffer): void
  /** From the beginning of a line, where it was cut. */
  text(): string
}

export function openLastWords(most: number): LastWords {
  let pieces: Buffer[] = []
  let bytes = 0
  let isCut = false

  const shorten = () => {
    const whole = Buffer.concat(pieces)
    isCut ||= whole.length > most
    pieces = [whole.subarray(Math.max(0, whole.length - most))]
    bytes = pieces[0]!.length
  }
  return {
    add(piece) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes > 2 * most) shorten()
    },
    text() {
      shorten()
      const text = pieces[0]!.toString('utf8')
      return isCut ? text.slice(text.indexOf('\n') + 1) : text
    },
  }
}
