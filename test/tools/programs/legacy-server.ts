// An MCP server of 2025 over stdin and stdout, without any package. Its first argument says how it misbehaves.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [behaviour = 'well', ...rest] = process.argv.slice(2)

interface Message {
  id?: number | string
  method?: string
  params?: Record<string, unknown> & { name?: string; cursor?: string; _meta?: { progressToken?: number } }
  result?: unknown
}

const say = (message: object): void => {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}
const text = (said: unknown): object => ({
  content: [{ type: 'text', text: typeof said === 'string' ? said : JSON.stringify(said) }],
})
const tool = (name: string) => ({ name, description: `Does ${name}`, inputSchema: { type: 'object' } })
const names = [
  'echo',
  'env',
  'wait',
  'count',
  'ask',
  'log',
  'die',
  'huge',
  'noise',
  'learn',
  'cancelled',
  'flood',
]
const learnt: string[] = []
const asked = new Map<string | number, (result: unknown) => void>()
const cancelled: unknown[] = []
const held: ((told: string) => void)[] = []

function toolList(cursor: string | undefined): object {
  switch (behaviour) {
    case 'pages': {
      const page = Number(cursor ?? 0)
      return { tools: [tool(`page-${page}`)], ...(page < 4 && { nextCursor: String(page + 1) }) }
    }
    case 'circle':
      return { tools: [tool(`at-${cursor ?? 'start'}`)], nextCursor: cursor === 'a' ? 'b' : 'a' }
    case 'bad-tools':
      return { tools: [tool('good'), { name: 'no-schema' }, { inputSchema: {} }, 7] }
    case 'too-many':
      return {
        tools: Array.from({ length: 5_000 }, (_, at) => tool(`${cursor}-${at}`)),
        nextCursor: `${cursor}x`,
      }
    default:
      return { tools: [...names, ...learnt].map(tool) }
  }
}

async function call(id: string | number, { name, arguments: args, _meta }: NonNullable<Message['params']>) {
  switch (name ?? '') {
    case 'echo':
      return text(args)
    case 'env':
      return text(process.env)
    case 'cancelled':
      return text(cancelled)
    case 'die':
      process.stderr.write('the disk is on fire\n')
      return process.exit(3)
    case 'null':
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: null })}\n`)
      return undefined
    case 'hold':
      return text(await new Promise((resolve) => held.push(resolve)))
    case 'release':
      for (const resolve of held.splice(0)) resolve('released')
      return text('done')
    case 'large': {
      const result = text('x'.repeat(17 * 1024 * 1024))
      const isFirst = (args as { id?: string } | undefined)?.id === 'first'
      const answer = isFirst ? { jsonrpc: '2.0', id, result } : { result, jsonrpc: '2.0', id }
      process.stdout.write(`${JSON.stringify(answer)}\n`)
      return undefined
    }
    case 'huge':
      process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":"`)
      for (let megabyte = 0; megabyte < 50; megabyte += 1) process.stdout.write('x'.repeat(1024 * 1024))
      return undefined
    case 'noise':
      process.stdout.write('Loading the model, please wait\n{"jsonrpc": "1.0"}\n\n')
      return text('that was noisy')
    case 'flood':
      for (let at = 0; at < 5_000; at += 1)
        say({ method: 'notifications/message', params: { level: 'info', data: `line ${at}` } })
      return text('that was a lot')
    case 'count':
      for (let progress = 1; progress <= 3; progress += 1)
        say({
          method: 'notifications/progress',
          params: { progressToken: _meta?.progressToken, progress, total: 3 },
        })
      return text('counted')
    case 'log':
      say({ method: 'notifications/message', params: { level: 'info', data: 'a line' } })
      return text('logged')
    case 'ask': {
      const question = `asked-by-${id}`
      const answer = new Promise((resolve) => asked.set(question, resolve))
      say({ id: question, ...(args as object) })
      return text(await answer)
    }
    case 'learn':
      learnt.push('fresh')
      for (let times = 0; times < 50; times += 1) say({ method: 'notifications/tools/list_changed' })
      return text('learnt')
    default:
      // `wait`: never.
      say({ method: 'notifications/progress', params: { progressToken: _meta?.progressToken, progress: 1 } })
      return undefined
  }
}

async function answer({ id, method, params = {} }: Message): Promise<object | undefined> {
  switch (method ?? '') {
    case 'initialize':
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
        serverInfo: { name: 'legacy', version: '1.0.0' },
        instructions: 'Be kind',
      }
    case 'tools/list':
      return toolList(params.cursor)
    case 'tools/call':
      return call(id ?? '', params)
    case 'resources/list':
      return { resources: [{ uri: 'thing://one', name: 'one' }] }
    case 'resources/subscribe':
      setTimeout(() => say({ method: 'notifications/resources/updated', params }), 10)
      return {}
    case 'resources/unsubscribe':
    case 'logging/setLevel':
    case 'ping':
      return {}
    default:
      return undefined
  }
}

if (behaviour === 'leaves-strays')
  // One that has left its group and its parent, and does not care about being asked.
  spawn('sh', ['-c', 'trap "" TERM; (while :; do sleep 1; done) & :'], {
    detached: true,
    stdio: 'ignore',
  }).unref()
if (behaviour === 'ignores-everything') {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1_000)
}
if (behaviour === 'fails') {
  process.stderr.write(`${rest.join(' ') || 'no licence'}\n`)
  process.exit(1)
}

for await (const line of createInterface({ input: process.stdin })) {
  if (behaviour === 'silent') continue
  const message = JSON.parse(line) as Message
  if (message.method === 'notifications/cancelled') cancelled.push(message.params?.['requestId'])
  if (message.id === undefined) continue
  if (message.method === undefined) {
    asked.get(message.id)?.(message.result ?? message)
    continue
  }
  if (
    behaviour === 'dies-at-unknown' &&
    !['initialize', 'tools/list', 'tools/call', 'ping'].includes(message.method)
  )
    process.exit(1)
  void reply(message)
}

async function reply(message: Message): Promise<void> {
  const { id, method } = message
  const result = await answer(message)
  if (result) say({ id, result })
  else if (method !== 'tools/call') say({ id, error: { code: -32601, message: `There is no ${method}` } })
}
