// A message that is too long to be read is not kept. Its beginning and its end tell whose answer it was.

const kept = 512
const version = String.raw`"jsonrpc"\s*:\s*"2\.0"\s*`
const id = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*`
const atBeginning = new RegExp(
  String.raw`^\s*\{\s*(?:${version},\s*)?${id},\s*(?:${version},\s*)?"(?:result|error)"`,
)
const isAnswer = new RegExp(String.raw`^\s*\{\s*(?:${version},\s*)?"(?:result|error)"`)
const atEnd = new RegExp(String.raw`,\s*${id}(?:,\s*${version})?\}\s*$`)

/** The id of an answer of which only this is known; undefined when it is none, or does not tell. */
export function idOfAnswer(beginning: string, end: string): string | number | undefined {
  const found = atBeginning.exec(beginning) ?? (isAnswer.test(beginning) ? atEnd.exec(end) : null)
  try {
    return found?.[1] === undefined ? undefined : (JSON.parse(found[1]) as string | number)
  } catch {
    return undefined
  }
}

export const beginningOf = (pieces: readonly Buffer[]): string =>
  Buffer.concat(pieces.slice(0, 64)).subarray(0, kept).toString('latin1')

export const endOf = (end: string, piece: Buffer): string =>
  (end + piece.subarray(-kept).toString('latin1')).slice(-kept)
