import type { Readable } from 'node:stream'
import { parseJSONRPCMessage } from '@modelcontextprotocol/client'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { longestMessage, openAllowance } from './limits.ts'

interface MessageTaker {
  take: (message: JSONRPCMessage) => void
  /** A line that is no message was left out. */
  noise: (told: string) => void
  /** A message is longer than any may be; nothing more is read. */
  tooLong: (told: string) => void
}

const newline = 0x0a

/** Reads one message a line. Whoever says too much at once waits in their own write. */
export function readMessages(stream: Readable, taker: MessageTaker): void {
  const allowance = openAllowance()
  let pieces: Buffer[] = []
  let size = 0

  const endLine = () => {
    const line = Buffer.concat(pieces).toString('utf8').trim()
    const rest = allowance.spend(size)
    pieces = []
    size = 0
    if (rest > 0) holdFor(stream, rest)
    if (!line) return
    const message = messageIn(line)
    if (message) taker.take(message)
    else taker.noise(`It wrote something to its standard output that is no message: ${line.slice(0, 200)}`)
  }
  const add = (piece: Buffer) => {
    size += piece.length
    pieces.push(piece)
  }

  stream.on('error', () => {})
  stream.on('data', function read(chunk: Buffer) {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at))
      from = at + 1
      if (size > longestMessage) return stopAt(read)
      endLine()
    }
    add(chunk.subarray(from))
    if (size > longestMessage) stopAt(read)
  })

  function stopAt(read: (chunk: Buffer) => void): void {
    stream.off('data', read)
    stream.resume()
    pieces = []
    taker.tooLong(tooLongMessage)
  }
}

export const tooLongMessage = `It sent a message of more than ${longestMessage / 1024 / 1024} MB, which is not read`

function holdFor(stream: Readable, ms: number): void {
  if (stream.isPaused()) return
  stream.pause()
  setTimeout(() => stream.resume(), ms).unref()
}

/** Undefined when it is none. */
export function messageIn(text: string): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(JSON.parse(text))
  } catch {
    return undefined
  }
}
