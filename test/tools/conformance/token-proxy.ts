import { once } from 'node:events'
import { createServer, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pipeline } from 'node:stream'

export interface TokenProxy {
  url: string
  close(): Promise<void>
}

/** Lets somebody in who has no token: what they say of themselves is passed on as it is, except for our own name. */
export async function openTokenProxy(target: string, token: string): Promise<TokenProxy> {
  const there = new URL(target)
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo
    const renamed = (text: string | undefined) =>
      text?.replace(new RegExp(`^((?:http://)?)(?:localhost|127\\.0\\.0\\.1):${port}$`), `$1${there.host}`)
    const { host, origin, connection: _connection, ...headers } = request.headers
    const passed = ask({
      hostname: there.hostname,
      port: there.port,
      method: request.method,
      path: request.url,
      headers: {
        ...headers,
        host: renamed(host),
        ...(origin !== undefined && { origin: renamed(origin) }),
        authorization: `Bearer ${token}`,
      },
    })
    passed.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      pipeline(answer, response, () => undefined)
    })
    passed.on('error', () => response.destroy())
    response.once('close', () => passed.destroy())
    pipeline(request, passed, () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
