import type { OAuthClientProvider } from '@modelcontextprotocol/client'
import type { SourceConfig } from '#contract/source.ts'
import type { Logger } from '#lib/log.ts'
import type { Caller, ToolSource } from '../port.ts'

export interface McpSourceSpec {
  name: string
  /** `${NAME}` is filled in, secrets are there. */
  config: SourceConfig
  /** Ours, told to servers. */
  version: string
  log: Logger
  /** Told to every process of a stdio source, so that strays are found: one value for each home (see strays.ts). */
  home: string
  /** Where people let us in (OAuth): what opens the upstream for this caller, or for nobody in particular. */
  authFor?: (caller: Caller | undefined) => OAuthClientProvider | undefined
}

/** Begins to connect at once, and keeps at it. Never rejects: how it goes is told by `health`. */
export function openMcpSource(_spec: McpSourceSpec): ToolSource {
  throw new Error('not there yet')
}
