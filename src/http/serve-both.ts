import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { CodeSockets } from './execute-socket.ts'
import type { Previews } from './preview-door.ts'

/** By the name that a request calls us by, before anything else of it is looked at: to the app of a workspace, or to Signalbox. */
export function serveBoth(
  options: ServerOptions,
  own: (request: IncomingMessage, response: ServerResponse) => unknown,
  previews: Previews,
  sockets: Pick<CodeSockets, 'takes' | 'upgrade'>,
): Server {
  // Of Signalbox itself few connections become something else: any other such request is to it as all the rest.
  const shouldUpgradeCallback = (request: IncomingMessage) =>
    previews.takes(request) || sockets.takes(request)
  const server = createServer({ ...options, shouldUpgradeCallback })
  server.on('request', (request, response) => {
    if (previews.takes(request)) previews.answer(request, response)
    else void own(request, response)
  })
  // An app may rather not have a body, and says so before it comes.
  server.on('checkContinue', (request, response) => {
    if (previews.takes(request)) return previews.answer(request, response)
    response.writeContinue()
    void own(request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    if (previews.takes(request)) previews.upgrade(request, socket, head)
    else sockets.upgrade(request, socket, head)
  })
  return server
}
