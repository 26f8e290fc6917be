import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { lastWords } from '#lib/last-words.ts'

/** For a connection that was to become something else, and does not. */
export function responseOn(request: IncomingMessage, socket: Duplex): ServerResponse {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  response.assignSocket(socket as Parameters<ServerResponse['assignSocket']>[0])
  response.once('finish', () => lastWords(socket))
  return response
}
