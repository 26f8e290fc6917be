import { request as plainRequest } from 'node:http'
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { Duplex } from 'node:stream'
import type { Database } from '#db/pool.ts'
import { joinStreams } from '#lib/join-streams.ts'
import { headersForApp, headersForBrowser } from './preview-headers.ts'
import { TunnelAgent } from './preview-tunnel.ts'
import type { TunnelEnd } from './preview-tunnel.ts'

export interface Passage {
  end: TunnelEnd
  /** The Authorization header holds a token of ours, which is nothing for an app. */
  isOurToken: boolean
}

/** Passes requests on to apps and answers back, as they come: nothing is held back, changed or remembered. */
export interface PreviewProxy {
  /** `onFailure` is called when there is nothing to answer with. */
  pass(
    request: IncomingMessage,
    response: ServerResponse,
    passage: Passage,
    onFailure: (error: Error) => void,
  ): void
  /** The same for a connection that becomes another protocol's. */
  upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    passage: Passage,
    onFailure: (error: Error) => void,
  ): void
  close(): void
}

/** There was a connection to it, and it was not used for an answer. */
export class AppBrokeOff extends Error {}

const repeatable = new Set(['GET', 'HEAD'])

export function openPreviewProxy(db: Database): PreviewProxy {
  const kept = new TunnelAgent(db, { keepAlive: true })
  const fresh = new TunnelAgent(db, { keepAlive: false })

  function ask(
    request: IncomingMessage,
    agent: TunnelAgent,
    { end, isOurToken }: Passage,
    more: string[][] = [],
  ) {
    const options = {
      method: request.method,
      path: request.url,
      headers: [...headersForApp(request, isOurToken), ...more],
      agent,
      end,
    }
    // The types know headers as an object only, in which no name could be there twice.
    return plainRequest(options as object)
  }

  function pass(
    request: IncomingMessage,
    response: ServerResponse,
    passage: Passage,
    onFailure: (error: Error) => void,
  ) {
    const { headers, method = 'GET' } = request
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    const mayRepeat = repeatable.has(method) && !hasBody
    const attempt = (agent: TunnelAgent) => {
      const asked = ask(request, agent, passage)
      const hungUp = () => asked.destroy()
      response.once('close', hungUp)
      asked.on('continue', () => response.writeContinue())
      asked.on('response', (answer) => answerWith(answer, response))
      asked.on('error', (error) => {
        response.off('close', hungUp)
        if (response.headersSent || response.destroyed) return void response.destroy()
        // The app has given up a connection that was kept, in the moment it was used again.
        if (mayRepeat && asked.reusedSocket) return attempt(fresh)
        onFailure(asked.socket ? new AppBrokeOff() : error)
      })
      if (hasBody) pipeline(request, asked, () => undefined)
      else asked.end()
      asked.flushHeaders()
    }
    attempt(mayRepeat ? kept : fresh)
  }

  function upgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    passage: Passage,
    onFailure: (error: Error) => void,
  ) {
    const asked: ClientRequest = ask(request, fresh, passage, [
      ['Connection', 'Upgrade'],
      ['Upgrade', request.headers.upgrade ?? ''],
    ])
    socket.on('error', () => asked.destroy())
    socket.once('close', () => asked.destroy())
    asked.on('upgrade', (answer, stream, first) => {
      const lines = [
        ['Connection', 'Upgrade'],
        ['Upgrade', answer.headers.upgrade ?? ''],
        ...headersForBrowser(answer),
      ]
      socket.write(statusLine(answer) + headerLines(lines), 'latin1')
      if (first.length > 0) stream.unshift(first)
      if (head.length > 0) socket.unshift(head)
      joinStreams(socket, stream)
    })
    // It would rather not: its answer is passed on, and then the connection is over.
    asked.on('response', (answer) => {
      const lines = [...headersForBrowser(answer), ['Connection', 'close']]
      socket.write(statusLine(answer) + headerLines(lines), 'latin1')
      pipeline(answer, socket, () => undefined)
    })
    asked.on('error', (error) => onFailure(asked.socket ? new AppBrokeOff() : error))
    asked.end()
  }

  return {
    pass,
    upgrade,
    close() {
      kept.destroy()
      fresh.destroy()
    },
  }
}

function answerWith(answer: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false
  const headers = headersForBrowser(answer).flat()
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers)
  response.flushHeaders()
  // An answer that breaks off breaks off for the browser too, and does not look like a whole one.
  pipeline(answer, response, () => undefined)
}

const statusLine = ({ statusCode, statusMessage }: IncomingMessage) =>
  `HTTP/1.1 ${statusCode} ${statusMessage ?? ''}\r\n`

const headerLines = (pairs: string[][]) =>
  `${pairs.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
