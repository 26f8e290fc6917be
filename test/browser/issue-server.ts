// An MCP server with issues: some tools only look, one writes, one destroys.
import { createInterface } from 'node:readline'

interface Message {
  id?: number
  method?: string
  params?: { name?: string; arguments?: Record<string, unknown> }
}

const issues = [
  { number: 12, title: 'The kettle boils over', labels: ['bug', 'kitchen'], votes: 7 },
  { number: 15, title: 'Tea without water', labels: ['bug'], votes: 2 },
  { number: 21, title: 'A button for Earl Grey', labels: ['wish'], votes: 31 },
]

const tools = [
  {
    name: 'list_issues',
    description: 'Lists the open issues of a project, the newest last.',
    inputSchema: {
      type: 'object',
      properties: {
        project: { type: 'string', description: 'As `owner/name`', pattern: '^[^/]+/[^/]+$' },
        label: { type: 'string', enum: ['bug', 'wish', 'kitchen'], description: 'Only those that have it' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many at most' },
      },
      required: ['project'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        issues: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              number: { type: 'integer' },
              title: { type: 'string' },
              labels: { type: 'array', items: { type: 'string' } },
              votes: { type: 'integer' },
            },
            required: ['number', 'title', 'labels', 'votes'],
          },
        },
      },
      required: ['issues'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'create_issue',
    description: 'Creates an issue.',
    inputSchema: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 3 },
        labels: { type: 'array', items: { type: 'string' } },
        place: {
          type: 'object',
          properties: { file: { type: 'string' }, line: { type: 'integer', minimum: 1 } },
          required: ['file'],
        },
      },
      required: ['title'],
    },
    annotations: { destructiveHint: false },
  },
  {
    name: 'delete_issue',
    description: 'Deletes an issue for good, with all that was said in it.',
    inputSchema: { type: 'object', properties: { number: { type: 'integer' } }, required: ['number'] },
    annotations: { destructiveHint: true },
  },
]

function call({ name, arguments: args = {} }: NonNullable<Message['params']>): object {
  if (name !== 'list_issues')
    return { content: [{ type: 'text', text: JSON.stringify({ did: name, ...args }) }] }
  const found = issues.filter(
    ({ labels }) => args['label'] === undefined || labels.some((label) => label === args['label']),
  )
  const structuredContent = { issues: found.slice(0, Number(args['limit'] ?? 100)) }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

const answers: Record<string, (message: Message) => object> = {
  initialize: () => ({
    protocolVersion: '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'issues', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ params }) => call(params ?? {}),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message: Message = JSON.parse(line)
  if (message.id === undefined) return
  const answer = answers[message.method ?? '']
  const told = answer ? { result: answer(message) } : { error: { code: -32601, message: 'Not known' } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...told })}\n`)
})
