// As many MCP servers as anybody wants, one at each path `/s/N`: of 2025 with a session where N is even, of 2026 where it is odd. All of them
// keep a stream open. `POST /cut?below=N` cuts those below N and lets them in no more, until `POST /mend`.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Message {
  id?: number | string
  method?: string
}

const tools = [{ name: 'echo', inputSchema: { type: 'object' } }]
const serverInfo = { name: 'many', version: '1' }
const capabilities = { tools: { listChanged: true } }
const legacy: Record<string, object> = {
  initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo },
  'tools/list': { tools },
  'tools/call': { content: [{ type: 'text', text: 'one of many' }] },
  ping: {},
}
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const modern: Record<string, object> = {
  'server/discover': { ...complete, supportedVersions: ['2026-07-28'], capabilities, serverInfo },
  'tools/list': { ...complete, tools },
  'tools/call': { ...complete, content: [{ type: 'text', text: 'one of many' }] },
}

const streams = new Map<number, ServerResponse>()
let cutBelow = 0

async function read(request: IncomingMessage): Promise<Message> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text ? (JSON.parse(text) as Message) : {}
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/cut' || pathname === '/mend') {
    cutBelow = Number(searchParams.get('below') ?? 0)
    for (const [at, stream] of streams) if (at < cutBelow) stream.destroy()
    return void response.end()
  }
  const at = Number(pathname.split('/').at(-1))
  if (at < cutBelow) return void request.socket.destroy()
  if (request.method === 'GET') return openStream(at, response)
  if (request.method === 'DELETE') return void response.writeHead(200).end()
  answer(at, await read(request), response)
}

function openStream(at: number, response: ServerResponse, first = ': hello'): void {
  streams.get(at)?.destroy()
  streams.set(at, response)
  response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`${first}\n\n`)
}

function answer(at: number, { id, method = '' }: Message, response: ServerResponse): void {
  const isLegacy = at % 2 === 0
  if (id === undefined) return void response.writeHead(202).end()
  if (!isLegacy && method === 'subscriptions/listen') {
    const meta = { 'io.modelcontextprotocol/subscriptionId': id }
    const acknowledged = {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: meta, notifications: { toolsListChanged: true } },
    }
    return openStream(at, response, `data: ${JSON.stringify(acknowledged)}`)
  }
  const result = (isLegacy ? legacy : modern)[method]
  const session = isLegacy && method === 'initialize' ? { 'mcp-session-id': `session-${id}` } : {}
  response.writeHead(200, { 'content-type': 'application/json', ...session })
  const outcome = result ? { result } : { error: { code: -32601, message: `There is no ${method}` } }
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
}

const server = createServer((request, response) => void serve(request, response))
server.listen(0, '127.0.0.1', 4_096, () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.stdin.on('end', () => process.exit()).resume()
