import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface JsonRpc {
  id?: number | string
  method?: string
  params?: Record<string, unknown>
}
/** What is to be done with a message; what it answers is the result. Undefined: it has done everything itself. */
export type Answering = (message: JsonRpc, request: IncomingMessage, response: ServerResponse) => unknown

export interface HttpUpstream {
  url: string
  server: Server
  /** Every request that came, as `POST initialize`, `GET`. */
  heard: string[]
  /** By method, instead of what it would do. `GET` and `DELETE` are methods too. */
  instead: Map<string, Answering>
  /** Cuts every connection there is. */
  cut: () => void
}

const usual: Record<string, object> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'plain', version: '1' },
  },
  'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
  'tools/call': { content: [{ type: 'text', text: 'well' }] },
  ping: {},
}

/** A server of 2025 by streamable HTTP, in this process, which does what the test wants. Closed when the test is over. */
export async function httpUpstream(): Promise<HttpUpstream> {
  const heard: string[] = []
  const instead = new Map<string, Answering>()
  const server = createServer((request, response) => void answer(request, response))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method: verb = '' } = request
    const message = verb === 'POST' ? ((await readJson(request)) as JsonRpc) : { method: verb }
    const method = message.method ?? 'answer'
    heard.push(verb === 'POST' ? `POST ${method}` : verb)
    const other = instead.get(method) ?? instead.get('*')
    const result = other ? other(message, request, response) : usual[method]
    if (other && result === undefined) return
    if (verb !== 'POST') return void response.writeHead(405).end()
    if (message.id === undefined) return void response.writeHead(202).end()
    const error = { code: -32601, message: `There is no ${method}` }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) }))
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => server.closeAllConnections()
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    cut()
    await closed
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, server, heard, instead, cut }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString('utf8'))
}
