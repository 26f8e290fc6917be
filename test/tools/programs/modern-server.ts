// An MCP server of both eras, made with the SDK. Over stdin and stdout; with the argument `http` at an address that it prints.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { McpServer, createMcpHandler, inputRequired } from '@modelcontextprotocol/server'
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const text = (said: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof said === 'string' ? said : JSON.stringify(said) }],
})
let hasLearnt = false
/** Over HTTP every request has a server of its own, which knows what was learnt before. */
let notify: (() => void) | undefined
const cancelled: string[] = []

function build(): McpServer {
  const server = new McpServer({ name: 'modern', version: '2.0.0' }, { capabilities: { logging: {} } })
  const anything = { inputSchema: z.looseObject({}) }
  server.registerTool('echo', anything, async (args) => text(args))
  server.registerTool('cancelled', anything, async () => text(cancelled))
  server.registerTool('count', anything, async (_args, { mcpReq }) => {
    const { notify: tell, _meta: meta } = mcpReq
    const progressToken = meta?.progressToken ?? 0
    for (let progress = 1; progress <= 3; progress += 1)
      await tell({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } })
    return text('counted')
  })
  server.registerTool('wait', anything, (_args, { mcpReq }) => waitForever(mcpReq))
  server.registerTool('log', anything, async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'a line')
    return text('logged')
  })
  server.registerTool('ask', anything, async (_args, context) => askTwo(context))
  server.registerTool('learn', anything, async () => {
    if (!hasLearnt && !notify) server.registerTool('fresh', anything, async () => text('fresh'))
    hasLearnt = true
    notify?.()
    return text('learnt')
  })
  server.registerTool(
    'in-header',
    {
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    },
    async ({ region }, { http }) =>
      text({ region, header: http?.req?.headers.get('mcp-param-region') ?? null }),
  )
  server.registerTool(
    'in-bad-header',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'no header' }) }) },
    async () => text('never'),
  )
  if (hasLearnt) server.registerTool('fresh', anything, async () => text('fresh'))
  server.registerResource('one', 'thing://one', {}, async (uri) => ({
    contents: [{ uri: uri.href, text: 'the first thing' }],
  }))
  server.registerPrompt('greet', {}, async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hello' } }],
  }))
  return server
}

async function waitForever({
  signal,
  id,
  notify: tell,
  _meta: meta,
}: ServerContext['mcpReq']): Promise<CallToolResult> {
  const progressToken = meta?.progressToken ?? 0
  await tell({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      cancelled.push(String(id))
      resolve(text('cancelled'))
    })
  })
}

/** Two questions of one round. */
function askTwo({ mcpReq }: ServerContext): CallToolResult | InputRequiredResult {
  if (mcpReq.inputResponses) return text({ answers: mcpReq.inputResponses, state: mcpReq.requestState() })
  const requestedSchema = { type: 'object' as const, properties: { city: { type: 'string' as const } } }
  return inputRequired({
    inputRequests: {
      where: inputRequired.elicit({ message: 'Where?', requestedSchema }),
      whence: inputRequired.elicit({ message: 'Whence?', requestedSchema }),
    },
    requestState: 'halfway',
  })
}

if (process.argv[2] === 'http') {
  const handler = createMcpHandler(build)
  notify = () => handler.notify.toolsChanged()
  const server = createServer((request, response) => void serve(request, response))

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', headers, url = '/' } = request
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const answer = await handler.fetch(
      new Request(new URL(url, `http://${headers.host}`), {
        method,
        headers: headers as Record<string, string>,
        signal: gone.signal,
        ...(pieces.length > 0 && { body: Buffer.concat(pieces) }),
      }),
    )
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    try {
      for await (const piece of answer.body ?? []) response.write(piece)
    } catch {
      // Nobody waits for it any more.
    }
    response.end()
  }

  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    process.stdout.write(`http://127.0.0.1:${port}/mcp\n`)
  })
  process.stdin.on('end', () => process.exit()).resume()
} else {
  serveStdio(build)
}
