import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { CodeSockets } from './execute-socket.ts'
import type { Gateway } from './gateway/open-gateway.ts'
import type { Previews } from './preview-door.ts'

/** By the name that a request calls us by, before anything else of it is looked at: to the app of a workspace, or to Signalbox. */
export function serveBoth(
  options: ServerOptions,
  own: (request: IncomingMessage, response: ServerResponse) => unknown,
  previews: Previews,
  sockets: readonly Pick<CodeSockets, 'takes' | 'upgrade'>[],
  gateway?: Pick<Gateway, 'takes' | 'answer' | 'upgrade'>,
): Server {
  // Of Signalbox itself few connections become something else: any other such request is to it as all the rest.
  const shouldUpgradeCallback = (request: IncomingMessage) =>
    previews.takes(request) || sockets.some((one) => one.takes(request)) || gateway?.takes(request) === true
  const server = createServer({ ...options, shouldUpgradeCallback })
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (gateway?.takes(request)) gateway.answer(request, response)
    else void own(request, response)
  }
  server.on('request', (request, response) => {
    if (previews.takes(request)) previews.answer(request, response)
    else answer(request, response)
  })
  // An app may rather not have a body, and says so before it comes.
  server.on('checkContinue', (request, response) => {
    if (previews.takes(request)) return previews.answer(request, response)
    response.writeContinue()
    answer(request, response)
  })
  server.on('upgrade', (request, socket, head) => {
    if (previews.takes(request)) previews.upgrade(request, socket, head)
    else if (gateway?.takes(request)) gateway.upgrade(request, socket, head)
    else sockets.find((one) => one.takes(request))?.upgrade(request, socket, head)
  })
  return server
}
