import type { Readable } from 'node:stream'

const newline = 0x0a

interface LineTaker {
  /** The next line is read when this has resolved, so that whoever writes waits in their own write. */
  take: (line: string) => Promise<void> | void
  /** A line beyond `longest` is not kept; only its size is told. */
  tooLong: (bytes: number) => void
  longest?: number
}

/** Reads a stream of UTF-8 line by line; empty lines are left out. Resolves at its end; never rejects. */
export async function readLines(stream: Readable, taker: LineTaker): Promise<void> {
  const { take, tooLong, longest = 16 * 1024 * 1024 } = taker
  let pieces: Buffer[] = []
  let size = 0

  const add = (piece: Buffer): void => {
    size += piece.length
    if (size > longest) pieces = []
    else pieces.push(piece)
  }
  const endLine = async (): Promise<void> => {
    const [bytes, line] = [size, size > longest ? '' : Buffer.concat(pieces).toString('utf8').trim()]
    pieces = []
    size = 0
    if (bytes > longest) tooLong(bytes)
    else if (line) await take(line)
  }

  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at))
        from = at + 1
        await endLine()
      }
      add(chunk.subarray(from))
    }
  } catch {
    // A stream that fails has ended.
  }
  await endLine()
}
