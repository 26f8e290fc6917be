// The smallest server of tools there can be: what is measured is the way to it. Over stdio, or over HTTP where it is told a port.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

function build(): McpServer {
  const server = new McpServer({ name: 'echo', version: '1.0.0' })
  const inputSchema = z.object({ text: z.string() })
  server.registerTool('echo', { description: 'Says it again', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  const annotations = { destructiveHint: true }
  server.registerTool(
    'erase',
    { description: 'Has to be asked about', inputSchema, annotations },
    ({ text }) => ({
      content: [{ type: 'text', text }],
    }),
  )
  return server
}

if (process.argv[2] === 'http') {
  const handler = createMcpHandler(build)
  const server = createServer((request, response) => {
    void (async () => {
      const answer = await handler.fetch(
        new Request(`http://127.0.0.1${request.url}`, {
          method: request.method ?? 'GET',
          headers: Object.entries(request.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]),
          ...(request.method === 'POST' && {
            body: Readable.toWeb(request) as ReadableStream,
            duplex: 'half',
          }),
        }),
      )
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      response.end(Buffer.from(await answer.arrayBuffer()))
    })()
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object' && address) process.stdout.write(`${address.port}\n`)
  })
} else serveStdio(build)
