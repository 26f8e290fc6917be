import type { Readable } from 'node:stream'
import { parseJSONRPCMessage } from '@modelcontextprotocol/client'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { longestMessage, openAllowance } from './limits.ts'
import { beginningOf, endOf, idOfAnswer } from './long-line.ts'

interface MessageTaker {
  take: (message: JSONRPCMessage) => void
  /** A line that is no message was left out. */
  noise: (told: string) => void
  /** The answer to this is there, and is none. */
  noAnswer: (id: string | number) => void
  /** A message was longer than any may be, and left out; with its id if it was an answer that told it. */
  tooLong: (id: string | number | undefined) => void
  /** Such a message has no end; nothing more is read. */
  endless: () => void
}

const newline = 0x0a
/** So much, and for so long, is read of a message that nobody will see. Others wait meanwhile. */
const mostSkipped = 16 * longestMessage
const longestSkipMs = 15_000
const longestSilenceMs = 3_000

/** Reads one message a line. Whoever says too much at once waits in their own write. */
export function readMessages(stream: Readable, taker: MessageTaker): void {
  const allowance = openAllowance()
  let pieces: Buffer[] = []
  let size = 0
  let skipped: { beginning: string; end: string; timers: NodeJS.Timeout[] } | undefined
  let isStopped = false

  const spend = (bytes: number) => {
    const rest = allowance.spend(bytes)
    if (rest > 0) holdFor(stream, rest)
  }
  const add = (piece: Buffer) => {
    size += piece.length
    if (size <= longestMessage) pieces.push(piece)
    else skip(piece)
  }
  const endLine = () => {
    const text = skipped ? '' : Buffer.concat(pieces).toString('utf8').trim()
    if (skipped) taker.tooLong(idOfAnswer(skipped.beginning, skipped.end))
    else spend(size)
    startLine()
    if (!text) return
    const message = messageIn(text)
    if (message) return taker.take(message)
    const id = idOfNoAnswer(text)
    if (id !== undefined) taker.noAnswer(id)
    taker.noise(`It wrote something to its standard output that is no message: ${text.slice(0, 200)}`)
  }
  const startLine = () => {
    skipped?.timers.forEach(clearTimeout)
    skipped = undefined
    pieces = []
    size = 0
  }

  function skip(piece: Buffer): void {
    const timers = skipped?.timers ?? [
      setTimeout(stop, longestSilenceMs).unref(),
      setTimeout(stop, longestSkipMs).unref(),
    ]
    timers[0]?.refresh()
    const beginning = skipped?.beginning ?? beginningOf([...pieces, piece])
    skipped = { beginning, end: endOf(skipped?.end ?? '', piece), timers }
    pieces = []
    spend(piece.length)
    if (size > mostSkipped) stop()
  }

  function stop(): void {
    const id = skipped && idOfAnswer(skipped.beginning, '')
    isStopped = true
    startLine()
    stream.off('data', read)
    stream.resume()
    taker.tooLong(id)
    taker.endless()
  }

  function read(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(newline); at >= 0 && !isStopped; at = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, at))
      from = at + 1
      if (!isStopped) endLine()
    }
    if (!isStopped) add(chunk.subarray(from))
  }
  stream.on('error', () => {})
  stream.on('close', startLine)
  stream.on('data', read)
}

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

/** What this would answer, were it an answer. */
export function idOfNoAnswer(text: string): string | number | undefined {
  try {
    const said: unknown = JSON.parse(text)
    if (typeof said !== 'object' || said === null || !('id' in said)) return undefined
    const isId = typeof said.id === 'string' || typeof said.id === 'number'
    return isId && ('result' in said || 'error' in said) ? (said.id as string | number) : undefined
  } catch {
    return undefined
  }
}
