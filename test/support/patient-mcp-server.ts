// A small MCP server without any package. `say_back` answers at once; `wait_for` when a file is there, having written its own pid to another.
import { existsSync, watch, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'

const text = { type: 'string' }
const tools = [
  {
    name: 'say_back',
    description: 'Says back what it is told, and what it knows by the variable GREETING',
    inputSchema: { type: 'object', properties: { text }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'wait_for',
    description: 'Waits until a file is there',
    inputSchema: {
      type: 'object',
      properties: { file: text, begun: text },
      required: ['file', 'begun'],
    },
  },
]

interface Message {
  id?: number | string
  method?: string
  params?: { protocolVersion?: string; name?: string; arguments?: Record<string, string> }
}

async function call(name: string, args: Record<string, string>): Promise<string> {
  const { text: said = '', times = '1' } = args
  if (name === 'say_back') return `${process.env['GREETING'] ?? 'You said'}: ${said.repeat(Number(times))}`
  const { file = '', begun = '' } = args
  writeFileSync(begun, String(process.pid))
  await new Promise<void>((resolve) => {
    const watcher = watch(dirname(file), look)
    function look(): void {
      if (!existsSync(file)) return
      watcher.close()
      resolve()
    }
    look()
  })
  return 'it is there'
}

async function answerTo(method: string, params: Message['params'] = {}): Promise<object | undefined> {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'patient', version: '1.0.0' },
      }
    case 'tools/list':
      return { tools }
    case 'tools/call':
      return { content: [{ type: 'text', text: await call(params.name ?? '', params.arguments ?? {}) }] }
    case 'ping':
      return {}
    default:
      return undefined
  }
}

async function answer({ id, method, params }: Message): Promise<void> {
  if (id === undefined || method === undefined) return
  const result = await answerTo(method, params)
  const told = result ? { result } : { error: { code: -32601, message: `There is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...told })}\n`)
}

for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line) as Message)
process.exit(0) // whoever started it is gone
