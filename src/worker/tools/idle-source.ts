import type { SourceHealth, SourceStatus } from '#contract/source.ts'
import { CallFailed } from '#tools/port.ts'
import type { ToolSource } from '#tools/port.ts'

/** A source that has no tools now: nobody wants it, or it cannot even be begun. Its health says why. */
export function idleSource(
  name: string,
  description: string,
  status: SourceStatus,
  error: string | null,
): ToolSource {
  const since = new Date().toISOString()
  const health: SourceHealth = {
    name,
    status,
    error,
    errorAt: error === null ? null : since,
    nextRetryAt: null,
    tools: 0,
    protocol: null,
    server: null,
    pid: null,
    since,
  }
  const why = error === null ? `${name} is switched off` : `${name} cannot be used: ${error}`
  return {
    name,
    description,
    tools: () => [],
    call: () => Promise.reject(new CallFailed('source_unavailable', why, { isUnsent: true })),
    health: () => health,
    onChange: () => () => undefined,
    close: () => Promise.resolve(),
  }
}
