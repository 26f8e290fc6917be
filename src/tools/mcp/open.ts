import type { SourceConfig } from '#contract/source.ts'
import type { Logger } from '#lib/log.ts'
import type { Caller, ToolSource } from '../port.ts'
import type { UpstreamAuth } from './auth.ts'

export interface McpSourceSpec {
  name: string
  /** `${NAME}` is filled in, secrets are there. */
  config: SourceConfig
  /** Ours, told to servers. */
  version: string
  log: Logger
  /** Told to every process of a stdio source, so that strays are found: one value for each home (see strays.ts). */
  home: string
  /** Where people let us in (OAuth): what opens the upstream for this caller. For nobody in particular there is none, and no way in. */
  authFor?: (caller: Caller | undefined) => UpstreamAuth | undefined
}

/** Begins to connect at once, and keeps at it. Never rejects: how it goes is told by `health`. */
export function openMcpSource(_spec: McpSourceSpec): ToolSource {
  throw new Error('not there yet')
}
