import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import { hopByHop } from '#lib/hop-by-hop.ts'
import { reasonOf } from './passage.ts'
import type { Passage } from './passage.ts'

/** The headers that go on, without those that `connection` names and those of these names. */
export function onwardHeaders(
  { headersDistinct, headers }: IncomingMessage,
  without: readonly string[] = [],
): OutgoingHttpHeaders {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const left = new Set([...hopByHop, ...named, ...without])
  return Object.fromEntries(Object.entries(headersDistinct).filter(([name]) => !left.has(name)))
}

/** What frames a body that goes on: a length, or pieces. Never none where there is one, which would be read as a request. */
export const bodyHeaders = ({ headers }: IncomingMessage): OutgoingHttpHeaders =>
  headers['transfer-encoding'] === undefined ? {} : { 'transfer-encoding': 'chunked' }

export interface Relay {
  passage: Passage
  idleMs: number
  /** The headers of the answer as it is passed on, or why it is not. */
  answer: (incoming: IncomingMessage) => { headers: OutgoingHttpHeaders } | { why: string }
}

/** Carries one request out and its answer in, as they come. Never throws. */
export function relay(
  request: IncomingMessage,
  response: ServerResponse,
  upstream: ClientRequest,
  { passage, idleMs, answer }: Relay,
): void {
  const carried = { bytesOut: 0, bytesIn: 0 }
  const fail = (error: Error) => {
    if (response.headersSent) response.destroy()
    else say(response, 502, `The other side could not be reached: ${reasonOf(error)}`)
    passage.over(carried, error)
  }
  upstream.setTimeout(idleMs, () =>
    upstream.destroy(new Error(`Nothing was said for ${idleMs / 60_000} minutes`)),
  )
  upstream.once('error', fail)
  upstream.once('response', (incoming) => {
    const passed = answer(incoming)
    if ('why' in passed) {
      upstream.destroy()
      say(response, 502, passed.why)
      return passage.over(carried, new Error(passed.why))
    }
    response.writeHead(incoming.statusCode ?? 502, { ...passed.headers, connection: 'close' })
    response.flushHeaders()
    incoming.on('data', (piece: Buffer) => (carried.bytesIn += piece.length))
    incoming.once('error', (error) => passage.over(carried, error))
    pipeline(incoming, response, () => undefined)
  })
  response.once('close', () => {
    upstream.destroy()
    passage.over(carried)
  })
  request.on('data', (piece: Buffer) => (carried.bytesOut += piece.length))
  if (hasBody(request)) upstream.flushHeaders() // the first of it may be long in coming
  pipeline(request, upstream, () => undefined)
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** One sentence for whoever is inside. */
export function say(response: ServerResponse, status: number, sentence: string): void {
  if (response.headersSent || response.destroyed) return
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  response.end(`${sentence}\n`)
}
