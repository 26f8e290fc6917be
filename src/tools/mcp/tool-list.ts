import { isSpecType } from '@modelcontextprotocol/client'
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { CallFailed } from '../port.ts'
import type { OfferedTool } from '../port.ts'
import { longestToolList, mostPages, mostTools } from './limits.ts'
import { deepestTool, isTooDeepTool } from './nesting.ts'

interface Page {
  tools: Record<string, unknown>[]
  nextCursor?: string | null
}

/** Reads all pages. Ends where a server goes in circles; rejects when there is more than anybody has. */
export async function listTools(
  read: (cursor: string | undefined) => Promise<unknown>,
): Promise<OfferedTool[]> {
  const tools: OfferedTool[] = []
  const seen = new Set<string>()
  let bytes = 0
  let cursor: string | undefined
  do {
    // Its shape was checked by the SDK.
    const page = (await read(cursor)) as Page
    bytes += JSON.stringify(page.tools).length
    tools.push(...page.tools.map(asOffered))
    if (tools.length > mostTools || bytes > longestToolList || seen.size > mostPages)
      throw new CallFailed('source_failed', `It offers more tools than can be kept (${mostTools})`)
    cursor = page.nextCursor ?? undefined
    if (cursor !== undefined && seen.has(cursor)) break
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined)
  return tools
}

function asOffered(tool: Record<string, unknown>): OfferedTool {
  const { name, title, description, inputSchema, outputSchema, annotations } = tool
  return {
    name: String(name),
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    inputSchema: inputSchema as Record<string, unknown>,
    ...(isObject(outputSchema) && { outputSchema }),
    ...(isObject(annotations) && { annotations }),
  }
}

/** Takes out of an answer the tools that are none, so that one does not spoil all others. Answers with what they are called. */
export function leaveOutBadTools(message: JSONRPCMessage): string[] {
  if (!('result' in message) || !isObject(message.result) || !Array.isArray(message.result['tools']))
    return []
  const bad: string[] = []
  message.result['tools'] = message.result['tools'].filter((tool: unknown) => {
    const isDeep = isTooDeepTool(tool)
    const isGood = !isDeep && isTool(tool)
    const name = isObject(tool) && typeof tool['name'] === 'string' ? tool['name'] : 'one without a name'
    if (!isGood) bad.push(isDeep ? `${name} (nested deeper than ${deepestTool} levels)` : name)
    return isGood
  })
  return bad
}

/** It is looked at where its message is read, and nothing that a server says may end us. */
function isTool(tool: unknown): boolean {
  try {
    return isSpecType.Tool(tool)
  } catch {
    return false
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
