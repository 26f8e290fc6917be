import type { LogEvents, LogStream, TerminalChunk } from '#contract/execution.ts'

// What `logs/stream` says, as server-sent events.

const encoder = new TextEncoder()
const largestPiece = 262_144

/** A line of the stream. Without a seq it does not move the place from which a reader resumes. */
export function logEvent<Name extends keyof LogEvents>(
  name: Name,
  data: LogEvents[Name],
  seq?: number,
): Uint8Array {
  const id = seq === undefined ? '' : `id: ${seq}\n`
  return encoder.encode(`${id}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** The raw bytes of a `data-terminal` payload. */
export function chunkOf(payload: string): { stream: LogStream; bytes: Buffer } {
  const { stream, chunk }: TerminalChunk = JSON.parse(payload)
  return { stream, bytes: Buffer.from(chunk, 'base64') }
}

/** Text of one stream that goes out as one event: everything up to `seq`. */
export interface Piece {
  seq: number
  stream: LogStream
  content: string
  size: number
}

/** Adds to the last piece while that stays small enough, and else begins a new one. */
export function addTo(pieces: Piece[], next: Piece): void {
  const last = pieces.at(-1)
  if (!last || last.size + next.size > largestPiece || last.stream !== next.stream) {
    pieces.push(next)
    return
  }
  last.seq = next.seq
  last.content += next.content
  last.size += next.size
}
