import type { Tool } from '@modelcontextprotocol/server'
import type { ToolResult } from '#contract/tool.ts'
import type { Era } from './in-rounds.ts'
import type { WireTool } from './view.ts'

// What results and their schemas may be has grown: the older protocol knows objects only.

/** The definitions as a protocol has them. */
export function wireTools(tools: readonly WireTool[], era: Era): Tool[] {
  return tools.map(({ outputSchema, inputSchema, title, description, annotations, name }) => {
    const hasOutput = outputSchema && (era === 'modern' || outputSchema['type'] === 'object')
    const tool = {
      name,
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      inputSchema: { ...inputSchema, type: 'object' },
      ...(hasOutput && { outputSchema }),
      ...(annotations && { annotations }),
    }
    return tool as Tool
  })
}

/** A result likewise. What is left out is in its text too. */
export function wireResult(result: ToolResult, era: Era): ToolResult {
  const { structuredContent, ...rest } = result
  const isObject =
    typeof structuredContent === 'object' && structuredContent !== null && !Array.isArray(structuredContent)
  return era === 'modern' || isObject ? result : rest
}
