import type { ModuleTool } from './find-tools.ts'
import { argumentsOf } from './schema-of.ts'
import type { Arguments } from './schema-of.ts'

export interface DescribedTool extends Arguments {
  tool: ModuleTool
}

/** The tools by name; of two with the same name, and of those that cannot be described, is told. */
export async function describedTools(
  found: readonly ModuleTool[],
  modulePath: string,
): Promise<{ tools: Map<string, DescribedTool>; told: string[] }> {
  const tools = new Map<string, DescribedTool>()
  const told: string[] = []
  for (const tool of found) {
    if (tools.has(tool.name)) {
      told.push(`There are two tools ${tool.name}: the second is left out`)
      continue
    }
    try {
      const described = await argumentsOf(tool.schema, modulePath)
      JSON.stringify(described.schema)
      tools.set(tool.name, { tool, ...described })
    } catch (error) {
      told.push(
        `The tool ${tool.name} is left out: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }
  return { tools, told }
}
