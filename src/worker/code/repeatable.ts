import type { CodeApi } from '#codemode/port.ts'
import type { MadeCall } from '#db/code-calls.ts'
import type { Caller, Registry } from '#tools/port.ts'

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a call can be made again when nobody knows what has come of it: it changes nothing, or nothing more than the first time. */
export function isRepeatable(
  { kind, name, input }: MadeCall,
  { registry, caller, api }: { registry: Registry; caller: Caller; api: CodeApi },
): boolean {
  if (kind === 'files' || kind === 'timer') return true
  if (kind === 'network') return reading.has(methodOf(input).toUpperCase())
  const tool = api.toolOf(name)
  const annotations = (tool === undefined ? undefined : registry.find(caller, tool))?.annotations
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
}

function methodOf([, options]: readonly unknown[]): string {
  const isSaid = typeof options === 'object' && options !== null && 'method' in options
  return isSaid && typeof options.method === 'string' ? options.method : 'GET'
}
