// A small MCP server for code to call, without any package. What it was called with stands in the file that CALLS names, a line each.
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const number = { type: 'number' }
const text = { type: 'string' }
const tools = [
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    outputSchema: { type: 'object', properties: { sum: number }, required: ['sum'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'remove_file',
    description: 'Removes a file for good',
    inputSchema: { type: 'object', properties: { name: text }, required: ['name'] },
    annotations: { destructiveHint: true },
  },
  {
    name: 'fail',
    description: 'Always fails',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'linger',
    description: 'Answers after a while',
    inputSchema: { type: 'object', properties: { ms: number }, required: ['ms'] },
    annotations: { readOnlyHint: true },
  },
]

interface Message {
  id?: number | string
  method?: string
  params?: { protocolVersion?: string; name?: string; arguments?: Record<string, unknown> }
}

async function call(name: string, args: Record<string, unknown>): Promise<object> {
  const said = (it: string) => ({ content: [{ type: 'text', text: it }] })
  if (name !== 'linger' && process.env['CALLS'])
    appendFileSync(process.env['CALLS'], `${name} ${JSON.stringify(args)}\n`)
  if (name === 'fail') return { ...said('This tool always fails'), isError: true }
  if (name === 'linger') await wait(Number(args['ms']))
  if (name !== 'add') return said(name === 'linger' ? 'at last' : `removed ${String(args['name'])}`)
  const sum = Number(args['a']) + Number(args['b'])
  return { ...said(String(sum)), structuredContent: { sum } }
}

async function answerTo(method: string, params: Message['params'] = {}): Promise<object | undefined> {
  if (method === 'initialize')
    return {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'calculator', version: '1.0.0' },
    }
  if (method === 'tools/list') return { tools }
  if (method === 'tools/call') return call(params.name ?? '', params.arguments ?? {})
  return method === 'ping' ? {} : undefined
}

async function answer({ id, method, params }: Message): Promise<void> {
  if (id === undefined || method === undefined) return
  const result = await answerTo(method, params)
  const told = result ? { result } : { error: { code: -32601, message: `There is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...told })}\n`)
}

for await (const line of createInterface({ input: process.stdin })) void answer(JSON.parse(line) as Message)
process.exit(0) // whoever started it is gone
