// Globs of rules: `*` is any run of characters, `\` takes away the meaning of the character after it.

type Piece = { any: true } | { character: string }

const any: Piece = { any: true }

/** A glob that fits this text and no other. */
export const literally = (text: string): string => text.replaceAll(/[\\*]/g, String.raw`\$&`)

/**
 * Whether a glob fits the whole text. What `never` finds a `*` stands for no part of: it has to be written in the glob itself.
 * Never takes longer than the lengths of both multiplied.
 */
export function fits(glob: string, text: string, never?: RegExp): boolean {
  const pieces = piecesOf(glob)
  const forbidden = never ? placesOf(never, text) : undefined
  let [at, piece] = [0, 0]
  let star: { piece: number; at: number } | undefined
  while (at < text.length) {
    const wanted = pieces[piece]
    if (wanted && 'any' in wanted) {
      star = { piece, at }
      piece += 1
    } else if (wanted?.character === text[at]) {
      piece += 1
      at += 1
    } else {
      // Only the last `*` can take more: what stands before it has been found at the earliest place there is.
      if (!star || star.at >= text.length || forbidden?.has(star.at)) return false
      star.at += 1
      at = star.at
      piece = star.piece + 1
    }
  }
  return pieces.slice(piece).every((rest) => 'any' in rest)
}

const placesOf = (what: RegExp, text: string): Set<number> =>
  new Set(
    [...text.matchAll(new RegExp(what, `${what.flags}g`))].flatMap(({ index, 0: { length } }) =>
      Array.from({ length }, (_, offset) => index + offset),
    ),
  )

function piecesOf(glob: string): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < glob.length; at += 1) {
    const isEscaped = glob[at] === '\\' && at + 1 < glob.length
    if (isEscaped) at += 1
    pieces.push(glob[at] === '*' && !isEscaped ? any : { character: glob.charAt(at) })
  }
  return pieces
}
