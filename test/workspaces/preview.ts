import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Seen {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Asks as a browser would that was sent to another name of the same machine. */
export async function previewed(
  url: string,
  host: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<Seen> {
  const { hostname, port } = new URL(url)
  const asked = request({ hostname, port, path, headers: { ...headers, host } }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    text: await text(response).catch(() => ''),
  }
}

/** One that nobody listens on at present. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
