import { randomUUID } from 'node:crypto'
import { Server } from '@modelcontextprotocol/server'
import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { DescribedTool } from './described-tools.ts'
import { resultOf } from './result-of.ts'

type Args = Record<string, unknown>

/** The tools as an MCP server. */
export function serverOf(tools: ReadonlyMap<string, DescribedTool>): Server {
  const server = new Server({ name: 'langchain', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].map(({ tool, schema }): Tool => {
      const described = typeof tool.description === 'string' ? { description: tool.description } : {}
      return { name: tool.name, ...described, inputSchema: { ...schema, type: 'object' } }
    }),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const found = tools.get(params.name)
    if (!found) return failed(`There is no tool ${params.name}`)
    try {
      const given = await found.tool.invoke(inputFor(found, params.arguments ?? {}), {
        signal: mcpReq.signal,
      })
      return resultOf(given, found.tool.responseFormat) as CallToolResult
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error))
    }
  })
  return server
}

/** Where LangChain would give less than everything, or take the arguments for a call, they are wrapped as it does itself. */
function inputFor({ tool, isSingle }: DescribedTool, args: Args): unknown {
  if (isSingle) return args['input']
  if (tool.lc_namespace === undefined) return args
  const wrapped = (inner: Args) => ({ type: 'tool_call', id: randomUUID(), name: tool.name, args: inner })
  // It unwraps twice.
  if (args['type'] === 'tool_call') return wrapped(wrapped(args))
  return tool.responseFormat === 'content_and_artifact' ? wrapped(args) : args
}

const failed = (words: string): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: words }],
})
