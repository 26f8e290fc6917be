import { CallFailed } from './port.ts'
import type { NativeTools, ToolSource } from './port.ts'

/** Tools of our own as a source: always there, and never another. */
export function openNativeSource({ name, description, tools }: NativeTools): ToolSource {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const since = new Date().toISOString()
  return {
    name,
    description,
    tools: () => tools,
    async call(caller, tool, args, hands) {
      const native = byName.get(tool)
      if (!native || native.isFor?.(caller) === false)
        throw new CallFailed('tool_not_found', `There is no tool ${name}.${tool}.`, { isUnsent: true })
      return native.run(caller, args, hands)
    },
    health: () => ({
      name,
      status: 'healthy',
      error: null,
      errorAt: null,
      nextRetryAt: null,
      tools: tools.length,
      protocol: null,
      server: null,
      pid: null,
      since,
    }),
    onChange: () => () => {},
    close: async () => {},
  }
}
