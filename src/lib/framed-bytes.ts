/** One byte of kind, four of length (big endian), then so many bytes. */
export interface Frame {
  kind: number
  bytes: Buffer
}

const headBytes = 5

export function frame(kind: number, bytes: Uint8Array | string = ''): Buffer {
  const body = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  const framed = Buffer.allocUnsafe(headBytes + body.length)
  framed.writeUInt8(kind)
  framed.writeUInt32BE(body.length, 1)
  framed.set(body, headBytes)
  return framed
}

/**
 * The frames of a stream of bytes, one after the other; what follows is not read before the last one was dealt with. Throws at
 * one that says to be longer than `longest`, before anything of it is kept, and when the stream ends in the middle of one.
 */
export async function* framesOf(
  source: AsyncIterable<Buffer>,
  longest: number,
): AsyncGenerator<Frame, void, void> {
  let rest: Buffer[] = []
  let size = 0
  for await (const piece of source) {
    rest.push(piece)
    size += piece.length
    while (size >= headBytes) {
      const head = startOf(rest, headBytes)
      const length = head.readUInt32BE(1)
      if (length > longest) throw new Error(`a frame of ${length} bytes, which is too long`)
      if (size < headBytes + length) break
      const all = rest.length === 1 ? rest[0]! : Buffer.concat(rest)
      yield { kind: all.readUInt8(), bytes: all.subarray(headBytes, headBytes + length) }
      rest = [all.subarray(headBytes + length)]
      size -= headBytes + length
    }
  }
  if (size > 0) throw new Error('the end in the middle of a frame')
}

function startOf(pieces: readonly Buffer[], length: number): Buffer {
  const [first] = pieces
  return first && first.length >= length ? first : Buffer.concat(pieces).subarray(0, length)
}
