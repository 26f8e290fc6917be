import type { Readable } from 'node:stream'

/** A line that is longer cannot be a message, and nobody holds it in memory. */
const longestLine = 64 * 1024 * 1024
const newline = 0x0a

/**
 * Gives every line to `take`, in order, and reads on only when that has resolved, so that whoever writes waits in their own
 * write. A line that is too long is given to `tooLong` by its size. Resolves at the end; never rejects.
 */
export async function readLines(
  stream: Readable,
  take: (line: string) => Promise<void> | void,
  tooLong: (bytes: number) => void,
): Promise<void> {
  let parts: Buffer[] = []
  let length = 0
  const finish = async () => {
    const [line, bytes] = [length <= longestLine ? Buffer.concat(parts).toString('utf8') : undefined, length]
    parts = []
    length = 0
    if (line === undefined) tooLong(bytes)
    else if (line.trim() !== '') await take(line)
  }
  const add = (part: Buffer) => {
    length += part.length
    if (length <= longestLine) parts.push(part)
    else parts = []
  }
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        add(chunk.subarray(from, at))
        from = at + 1
        await finish()
      }
      if (from < chunk.length) add(chunk.subarray(from))
    }
  } catch {
    // its process is gone, and that is told by its end
  }
  if (length > 0) await finish()
}
