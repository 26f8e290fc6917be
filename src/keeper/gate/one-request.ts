import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { GateLimits } from './open-gate.ts'

export interface Answering {
  onRequest: RequestListener
  onConnect?: (request: IncomingMessage, connection: Duplex, head: Buffer) => void
}

/** Takes connections with one request each: what follows it is read as nothing, so nothing can hide behind it. */
export function oneRequest(
  { headBytes, headMs }: Pick<GateLimits, 'headBytes' | 'headMs'>,
  { onRequest, onConnect }: Answering,
): (connection: Duplex) => void {
  const waiting = new WeakMap<Duplex, NodeJS.Timeout>()
  const heard = (connection: Duplex) => clearTimeout(waiting.get(connection))
  const server = createServer({ maxHeaderSize: headBytes, requireHostHeader: false }, (request, response) => {
    heard(request.socket)
    onRequest(request, response)
  })
  server.maxRequestsPerSocket = 1
  server.timeout = 0
  server.requestTimeout = 0
  server.on('connect', (request, connection, head) => {
    heard(connection)
    if (onConnect) onConnect(request, connection, head)
    else connection.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\n\r\n')
  })
  return (connection) => {
    const late = setTimeout(() => connection.destroy(), headMs)
    waiting.set(connection, late)
    connection.once('close', () => clearTimeout(late))
    server.emit('connection', connection)
    // Whoever read its first line has paused it, and what came with that line waits to be read.
    connection.resume()
  }
}
