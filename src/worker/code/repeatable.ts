import type { MadeCall } from '#db/code-calls.ts'
import type { Caller, Registry } from '#tools/port.ts'

interface Needs {
  registry: Registry
  caller: Caller
  /** The tool that code means by this. */
  toolOf: (name: string) => Promise<string | undefined>
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a call can be made again when nobody knows what has come of it: it changes nothing, or nothing more than the first time. */
export async function isRepeatable(
  { kind, name, input }: MadeCall,
  { registry, caller, toolOf }: Needs,
): Promise<boolean> {
  if (kind === 'files' || kind === 'timer') return true
  if (kind === 'network') return reading.has(methodOf(input).toUpperCase())
  const tool = await toolOf(name).catch(() => undefined)
  const annotations = (tool === undefined ? undefined : registry.find(caller, tool))?.annotations
  return annotations?.readOnlyHint === true || annotations?.idempotentHint === true
}

/** What `fetch` hands over is one object, which always says it. */
function methodOf([asked]: readonly unknown[]): string {
  const isSaid = typeof asked === 'object' && asked !== null && 'method' in asked
  return isSaid && typeof asked.method === 'string' ? asked.method : ''
}
