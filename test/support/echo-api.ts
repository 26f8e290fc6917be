import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What arrived, as it arrived. */
export interface Arrived {
  method: string
  /** Path and query, not decoded. */
  url: string
  headers: Record<string, string | string[] | undefined>
  body: string
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface EchoApi {
  readonly origin: string
  readonly arrived: Arrived[]
  /** What is answered to requests of this path, in place of what arrived. */
  on(path: string, answer: Answer): void
  close(): Promise<void>
}

/** A real HTTP program, on loopback: it answers with what arrived, and remembers it. */
export async function startEchoApi(): Promise<EchoApi> {
  const arrived: Arrived[] = []
  const answers = new Map<string, Answer>()
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      arrived.push({ method, url, headers, body: Buffer.concat(pieces).toString('latin1') })
      const answer = answers.get(url.split('?', 1)[0]!)
      if (answer) return answer(request, response)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(arrived.at(-1)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrived,
    on: (path, answer) => void answers.set(path, answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
