// A server of MCP over HTTP that takes next to nothing itself: what it uses of two cores, what is measured has not. Answers with what it
// is given; `erase` has to be asked about.
import { createServer } from 'node:http'

const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const about = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'echo', version: '1.0.0' } },
}
const cache = { ttlMs: 0, cacheScope: 'private' }

interface Asked {
  id?: number | string
  method: string
  params?: { arguments?: { text?: string } }
}

function resultOf({ method, params }: Asked): object | undefined {
  if (method === 'tools/call')
    return { content: [{ type: 'text', text: params?.arguments?.text ?? '' }], ...about }
  if (method === 'server/discover')
    return { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ...cache, ...about }
  if (method !== 'tools/list') return undefined
  const tools = [
    { name: 'echo', description: 'Says it again', inputSchema },
    {
      name: 'erase',
      description: 'Has to be asked about',
      inputSchema,
      annotations: { destructiveHint: true },
    },
  ]
  return { tools, ...cache, ...about }
}

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
  request.on('end', () => {
    const asked = (text === '' ? { method: request.method ?? '' } : JSON.parse(text)) as Asked
    const result = resultOf(asked)
    const id = asked.id ?? null
    const answer = result ?? { code: -32_601, message: `There is no ${asked.method}` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, [result ? 'result' : 'error']: answer }))
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object' && address) process.stdout.write(`${address.port}\n`)
})
