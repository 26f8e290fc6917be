import { ToolAnswer, ToolListing } from '#contract/tool.ts'
import type { ToolContent } from '#contract/tool.ts'
import { inert } from '#lib/inert-text.ts'
import { ask } from './client.ts'
import type { Connection } from './connection.ts'
import { givenArguments } from './given-arguments.ts'
import { printJson } from './output.ts'
import type { Screen } from './screen.ts'

export interface CallOptions {
  arg?: string[]
  session?: string
  confirm?: boolean
  json?: boolean
}

const longestMs = 3_600_000

/** Prints what a tool answers. Answers with the exit code. */
export async function callTool(
  connection: Connection,
  screen: Screen,
  name: string,
  whole: string | undefined,
  { arg = [], session, confirm, json }: CallOptions,
): Promise<number> {
  const schema = arg.length > 0 ? await schemaOf(connection, name) : {}
  const args = givenArguments(schema, whole, arg)
  const body = { args, ...(session !== undefined && { sessionId: session }), ...(confirm && { confirm }) }
  const path = `/tools/${encodeURIComponent(name)}/call`
  const { result } = await ask(connection, path, ToolAnswer, { method: 'POST', body, patienceMs: longestMs })
  if (json) await printJson(result)
  else screen.write(`${result.content.map(textOf).join('\n')}\n`)
  return result.isError ? 1 : 0
}

/** So that `--arg count=3` is a number where the tool wants one. */
async function schemaOf(connection: Connection, name: string): Promise<Record<string, unknown>> {
  const { namespaces } = await ask(connection, '/tools', ToolListing)
  const tools = Object.values(namespaces).flatMap(({ tools: these }) => these)
  return tools.find((tool) => tool.name === name || tool.wireName === name)?.inputSchema ?? {}
}

function textOf(content: ToolContent): string {
  if (content.type === 'text' && typeof content['text'] === 'string') return inert(content['text'])
  return `[${content.type}: --json has it]`
}
