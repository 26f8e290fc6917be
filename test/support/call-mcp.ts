// A program that an agent starts: it calls one tool with nothing but what it has inherited. `node call-mcp.ts TOOL [JSON]` says what
// the tool answers. SCRIPTED_SERVERS has the servers of tools that its agent was given, as ACP has them.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

interface Given {
  name: string
  url: string
  headers: { name: string; value: string }[]
}

const [, , tool = '', args = '{}'] = process.argv
const servers = JSON.parse(process.env['SCRIPTED_SERVERS'] ?? '[]') as Given[]
const ours = servers.find(({ name }) => name === 'signalbox')
if (!ours) throw new Error('The agent was given no tools of ours')

const headers = Object.fromEntries(ours.headers.map(({ name, value }) => [name, value]))
const client = new Client({ name: 'child', version: '1' }, { versionNegotiation: { mode: 'auto' } })
await client.connect(new StreamableHTTPClientTransport(new URL(ours.url), { requestInit: { headers } }))
const { content, isError = false } = await client.callTool({
  name: tool,
  arguments: JSON.parse(args) as Record<string, unknown>,
})
const [first] = content
process.stdout.write(`${isError ? 'refused' : 'done'}: ${first?.type === 'text' ? first.text : ''}\n`)
await client.close()
