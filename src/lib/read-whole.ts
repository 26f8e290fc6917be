/** All bytes of a stream that is not longer than this; else it rejects, and reads no further. */
export async function readWhole(
  bytes: AsyncIterable<Uint8Array>,
  longest: number,
): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of bytes) {
    size += piece.length
    if (size > longest) throw new Error('the answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
