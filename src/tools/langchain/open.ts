import { openMcpSource } from '../mcp/open.ts'
import type { McpSourceSpec } from '../mcp/open.ts'
import type { ToolSource } from '../port.ts'
import { langchainProgram } from './program.ts'

/** The tools of `config.module`, an absolute path, in a process of their own. Never rejects: how it goes is told by `health`. */
export function openLangchainSource(spec: McpSourceSpec): ToolSource {
  const { module = '' } = spec.config
  return openMcpSource({
    ...spec,
    config: { ...spec.config, transport: 'stdio', ...langchainProgram(module) },
  })
}
