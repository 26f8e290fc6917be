import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Previews } from './preview-door.ts'

/** By the name that a request calls us by, before anything else of it is looked at: to the app of a workspace, or to Signalbox. */
export function serveBoth(
  options: ServerOptions,
  own: (request: IncomingMessage, response: ServerResponse) => unknown,
  previews: Previews,
): Server {
  // Signalbox itself has no connections that become something else: such a request is to it as any other.
  const server = createServer({ ...options, shouldUpgradeCallback: (request) => previews.takes(request) })
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
  server.on('upgrade', (request, socket, head) => previews.upgrade(request, socket, head))
  return server
}
