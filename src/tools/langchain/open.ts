import { dirname } from 'node:path'
import { openMcpSource } from '../mcp/open.ts'
import type { McpSourceSpec } from '../mcp/open.ts'
import type { ToolSource } from '../port.ts'
import { langchainProgram } from './program.ts'

/** The tools of `config.module`, an absolute path, in a process of their own. Never rejects: how it goes is told by `health`. */
export function openLangchainSource(spec: McpSourceSpec, longestLoadMs?: number): ToolSource {
  const { module = '', cwd = dirname(module) } = spec.config
  const config = {
    ...spec.config,
    transport: 'stdio' as const,
    ...langchainProgram(module, longestLoadMs),
    cwd,
  }
  return openMcpSource({ ...spec, config })
}
