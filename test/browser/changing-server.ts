// An MCP server whose only tool describes itself as a file says, and changes when it is called with `change`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const file = process.argv[2]!
const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

interface Message {
  id?: number
  method?: string
  params?: { arguments?: { name?: string } }
}

const answers: Record<string, (message: Message) => object> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'changing', version: '1.0.0' },
  }),
  'tools/list': () => ({
    tools: [
      {
        name: 'greet',
        description: readFileSync(file, 'utf8'),
        inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
    ],
  }),
  'tools/call': ({ params }) => {
    const name = params?.arguments?.name ?? ''
    if (name === 'change') {
      writeFileSync(file, 'Greets in another way')
      say({ method: 'notifications/tools/list_changed' })
    }
    return { content: [{ type: 'text', text: `Hello ${name}` }] }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message: Message = JSON.parse(line)
  if (message.id === undefined) return
  const answer = answers[message.method ?? '']
  if (answer) say({ id: message.id, result: answer(message) })
  else say({ id: message.id, error: { code: -32601, message: 'Not known' } })
})
