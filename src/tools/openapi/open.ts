import type { SourceConfig } from '#contract/source.ts'
import type { Logger } from '#lib/log.ts'
import type { ToolSource } from '../port.ts'

export interface OpenApiSourceSpec {
  name: string
  /** `${NAME}` is filled in, secrets are there. */
  config: SourceConfig
  log: Logger
  fetch?: typeof fetch
}

/**
 * Rejects with an Error whose sentence is for people, if `config.document` is no OpenAPI document that can be used. A document at an
 * address is read in the background: how that goes is told by `health`.
 */
export async function openOpenApiSource(_spec: OpenApiSourceSpec): Promise<ToolSource> {
  throw new Error('not there yet')
}
