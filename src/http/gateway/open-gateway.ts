import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { responseOn } from '../response-on.ts'
import type { Parts } from '../room.ts'
import { passDoor } from './doors.ts'
import type { Engine } from './engine.ts'

/** Chat over socket.io. Whatever clients are told is read from the event log: any web serves any of them. */
export interface Gateway {
  takes(request: IncomingMessage): boolean
  answer(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Cuts everybody off. They come back by themselves, to another web or to the next one. */
  close(): void
}

const goodbyeMs = 500
const path = /^\/socket\.io\/?(?:\?|$)/

export function openGateway(parts: Parts): Gateway {
  const { settings, log } = parts
  let opened: Promise<Engine> | undefined
  let isClosed = false
  const upgraded = new Set<Duplex>()

  /** Loaded when the first one comes: it takes longer than all the rest of web. */
  const engine = () => (opened ??= import('./engine.ts').then(({ openEngine }) => openEngine(parts)))

  async function pass(give: (engine: Engine) => void, giveUp: () => void): Promise<void> {
    try {
      const ready = await engine()
      if (isClosed) giveUp()
      else give(ready)
    } catch (error) {
      log.error({ err: error }, 'a socket of chat could not be opened')
      giveUp()
    }
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { headers, refused } = passDoor(request, settings.current())
    for (const [name, value] of headers) response.setHeader(name, value)
    if (refused) return void response.writeHead(refused.status).end(refused.body)
    const giveUp = () => response.writeHead(503).end()
    void pass((ready) => ready.handleRequest(request, response), giveUp)
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    upgraded.add(socket)
    socket.once('close', () => upgraded.delete(socket))
    socket.on('error', () => socket.destroy())
    const { refused } = passDoor(request, settings.current())
    if (refused) return answer(request, responseOn(request, socket))
    void pass(
      (ready) => ready.handleUpgrade(request, socket, head),
      () => socket.destroy(),
    )
  }

  return {
    takes: ({ url = '' }) => path.test(url),
    answer,
    upgrade,
    close() {
      isClosed = true
      void opened?.then((ready) => ready.close())
      // Whoever does not say goodbye is not waited for.
      setTimeout(() => upgraded.forEach((socket) => socket.destroy()), goodbyeMs).unref()
    },
  }
}
