// An MCP server of 2025 whose words are nested as deep as its second argument says, in the place that its first one names.
import { createInterface } from 'node:readline'

const [place = '', levels = '0'] = process.argv.slice(2)
const depth = Number(levels)
// Written by hand: what makes JSON of something that deep does not come back either.
const deep = `${'{"items":'.repeat(depth)}{}${'}'.repeat(depth)}`
const at = (name: string): string => (place === name ? deep : '{}')
const schema = (inside: string): string => `{"type":"object","properties":{"a":${inside}}}`
const tool = (name: string, inside: string): string => `{"name":"${name}","inputSchema":${schema(inside)}}`
const say = (rest: string): void => void process.stdout.write(`{"jsonrpc":"2.0",${rest}}\n`)

interface Message {
  id?: number | string
  method?: string
  params?: { name?: string }
  error?: unknown
}

let heard: unknown
const answers: Record<string, () => string> = {
  initialize: () =>
    `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{},"experimental":{"x":${at('initialize')}}},"serverInfo":{"name":"deep","version":"1"}}`,
  'tools/list': () =>
    `{"tools":[${tool('good', '{}')},${tool('nested', at('tool'))}],"_meta":{"x":${at('list')}}}`,
  'resources/list': () => `{"resources":[{"uri":"a://b","name":"b","annotations":${at('resources')}}]}`,
  'prompts/list': () => `{"prompts":[{"name":"b","_meta":${at('prompts')}}]}`,
  ping: () => '{}',
  'tools/call': () => {
    if (place === 'stray') say(`"id":99999,"result":{"x":${deep}}`)
    if (place === 'error') say(`"id":"none","error":{"code":1,"message":"x","data":${deep}}`)
    if (place === 'notification')
      say(`"method":"notifications/message","params":{"level":"info","data":${deep}}`)
    if (place === 'progress')
      say(
        `"method":"notifications/progress","params":{"progressToken":77,"progress":1,"_meta":{"x":${deep}}}`,
      )
    if (place === 'request')
      say(
        `"id":"mine","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"a":${deep}}}}`,
      )
    return `{"content":[{"type":"text","text":"called"}],"structuredContent":{"x":${at('result')}},"_meta":{"x":${at('meta')}}}`
  },
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, error } = JSON.parse(line) as Message
  if (id === 'mine') heard = error ?? 'an answer'
  if (id === undefined || method === undefined) continue
  const isAsked = method === 'tools/call' && params?.name === 'heard'
  const text = JSON.stringify(JSON.stringify(heard ?? null))
  const result = isAsked ? `{"content":[{"type":"text","text":${text}}]}` : answers[method]?.()
  say(
    `"id":${JSON.stringify(id)},${result ? `"result":${result}` : '"error":{"code":-32601,"message":"no"}'}`,
  )
}
