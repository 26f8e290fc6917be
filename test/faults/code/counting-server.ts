// A server of MCP over stdin and stdout that writes down what it is asked to do: one line for each call, by its key.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const [, , file = ''] = process.argv
const inputSchema = {
  type: 'object',
  properties: { key: { type: 'string' } },
  required: ['key'],
  additionalProperties: false,
}
const tools = [
  { name: 'book', description: 'Books it, for good', inputSchema, annotations: { destructiveHint: true } },
  { name: 'slow', description: 'Takes its time', inputSchema, annotations: { destructiveHint: false } },
]

interface Message {
  id?: number | string
  method?: string
  params?: { protocolVersion?: string; name?: string; arguments?: { key?: string } }
}

async function answerTo(method: string, params: Message['params']): Promise<object | undefined> {
  if (method === 'initialize')
    return {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'counting', version: '1.0.0' },
    }
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools }
  if (method !== 'tools/call') return undefined
  const { name, arguments: { key } = {} } = params ?? {}
  appendFileSync(file, `${name} ${key}\n`)
  if (name === 'slow') await wait(400)
  const data = { [name === 'slow' ? 'did' : 'booked']: key }
  return { content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data }
}

async function take({ id, method, params }: Message): Promise<void> {
  if (id === undefined || method === undefined) return
  const result = await answerTo(method, params)
  const answer = result ? { result } : { error: { code: -32601, message: `There is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}

for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line))
