import type { ServerCapabilities } from '@modelcontextprotocol/server'
import { READ_RESULT } from '#contract/tool.ts'
import type { Caller, Registry, ToolSource } from '#tools/port.ts'
import { metaTools, readOn } from './meta-tools.ts'
import type { View, WireTool } from './view.ts'

/** One source as it is, by its own names. Its calls go the way of all others. */
export function rawView(registry: Registry, source: ToolSource): View {
  const { name } = source
  const hasOwn = (caller: Caller) => source.tools(caller).some((offered) => offered.name === READ_RESULT)
  return {
    source: name,
    capabilities: () => passedOn(source.capabilities?.() ?? {}),
    instructions: () => source.instructions?.(),
    listTools(caller) {
      const tools = source.tools(caller).flatMap((offered): WireTool[] => {
        const found = registry.find(caller, `${name}.${offered.name}`)
        if (!found) return []
        // As the registry holds it: what is too large or too deep to be passed on is not.
        const { title, description, inputSchema, outputSchema } = found
        const { annotations } = offered
        return [{ name: offered.name, title, description, inputSchema, outputSchema, annotations }]
      })
      // What is cut names it, so it is here too.
      return tools.length === 0 || hasOwn(caller) ? tools : [...tools, ...metaTools.filter(isReading)]
    },
    callTool: (caller, tool, args, hands) =>
      tool === READ_RESULT && !hasOwn(caller)
        ? readOn(registry, caller, args)
        : registry.call(caller, `${name}.${tool}`, args, hands),
    request: async (caller, method, params, hands) => {
      const answer = await registry.request(caller, name, method, params, hands)
      return { ...(answer as object) }
    },
  }
}

const isReading = ({ name }: WireTool) => name === READ_RESULT

/** What of an upstream's capabilities we pass on: there are tools always, and changes of them are told. */
function passedOn({ prompts, resources, completions, logging }: ServerCapabilities): ServerCapabilities {
  return {
    tools: { listChanged: true },
    ...(prompts && { prompts }),
    ...(resources && { resources }),
    ...(completions && { completions }),
    ...(logging && { logging }),
  }
}
