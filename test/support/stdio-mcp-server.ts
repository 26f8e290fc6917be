// A small MCP server over stdin and stdout, without any package: one tool, `say_back`.
import { createInterface } from 'node:readline'

const tool = {
  name: 'say_back',
  description: 'Says back what it is told',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  annotations: { readOnlyHint: true },
}

interface Message {
  id?: number | string
  method?: string
  params?: { protocolVersion?: string; arguments?: { text?: string } }
}

function answerTo(method: string, params: Message['params']): object | undefined {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'say-back', version: '1.0.0' },
      }
    case 'tools/list':
      return { tools: [tool] }
    case 'tools/call':
      return { content: [{ type: 'text', text: `You said: ${params?.arguments?.text}` }] }
    case 'ping':
      return {}
    default:
      return undefined
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message: Message = JSON.parse(line)
  if (message.id === undefined || message.method === undefined) continue
  const result = answerTo(message.method, message.params)
  const answer = result ? { result } : { error: { code: -32601, message: `There is no ${message.method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer })}\n`)
}
