// A server of MCP over stdin and stdout that writes down what it is asked to do before it does it: one line for each call.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const [, , file = ''] = process.argv
const inputSchema = {
  type: 'object',
  properties: { key: { type: 'string' }, ms: { type: 'number' }, characters: { type: 'number' } },
  required: ['key'],
  additionalProperties: false,
}
const reads = { readOnlyHint: true }
const destroys = { readOnlyHint: false, destructiveHint: true }
const tools = [
  { name: 'book', description: 'Books it, for good', annotations: destroys },
  { name: 'fail', description: 'Cannot do it', annotations: destroys },
  { name: 'slow', description: 'Does it in so many milliseconds', annotations: destroys },
  { name: 'look', description: 'Looks it up', annotations: reads },
  { name: 'tell', description: 'Tells so many characters of it', annotations: reads },
].map((tool) => ({ ...tool, inputSchema }))

interface Message {
  id?: number | string
  method?: string
  params?: {
    protocolVersion?: string
    name?: string
    arguments?: { key?: string; ms?: number; characters?: number }
  }
}

async function call({ name = '', arguments: args = {} }: NonNullable<Message['params']>): Promise<object> {
  const { key = '', ms = 0, characters = 0 } = args
  appendFileSync(file, `${name} ${key}\n`)
  await wait(ms)
  const text = name === 'tell' ? `${key} `.repeat(characters / (key.length + 1)) : `${name}: ${key} is done`
  if (name === 'fail')
    return { content: [{ type: 'text', text: `The desk is closed for ${key}` }], isError: true }
  return { content: [{ type: 'text', text }] }
}

async function answerTo(method: string, params: Message['params'] = {}): Promise<object | undefined> {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'desk', version: '1.0.0' },
    }
  if (method === 'ping') return {}
  if (method === 'tools/list') return { tools }
  return method === 'tools/call' ? call(params) : undefined
}

async function take({ id, method, params }: Message): Promise<void> {
  if (id === undefined || method === undefined) return
  const result = await answerTo(method, params)
  const answer = result ? { result } : { error: { code: -32601, message: `There is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}

for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line))
