import { CodeFailed } from '#codemode/port.ts'
import type { CodeApi } from '#codemode/port.ts'
import type { Caller, Registry, ToolSource } from '#tools/port.ts'
import { within } from './within.ts'

interface Needs {
  registry: Registry
  caller: Caller
  /** Written anew of what is there now. */
  apiNow: () => CodeApi
}

interface Wanted {
  /** As code writes it, `github.createIssue`. */
  name: string
  /** It was there before. Otherwise it is waited for only where there is a source that may come to have it. */
  wasThere: boolean
  timeoutMs: number
  signal: AbortSignal
}

/**
 * After a start sources need a moment to tell what they have. Resolves with an API that has this tool as soon as there is one, and with
 * undefined when there will be none. Rejects with CodeFailed when that takes too long, or with the signal's reason.
 */
export async function apiWithTool(needs: Needs, wanted: Wanted): Promise<CodeApi | undefined> {
  const { registry, apiNow } = needs
  const { name, wasThere, timeoutMs, signal } = wanted
  let changed = Promise.withResolvers<void>()
  const end = registry.onChange(() => {
    changed.resolve()
    changed = Promise.withResolvers()
  })
  const look = async (its: AbortSignal): Promise<CodeApi | undefined> => {
    while (!its.aborted) {
      const change = changed.promise
      const api = apiNow()
      if (api.toolOf(name) !== undefined) return api
      if (!wasThere && !isToTell(needs, name)) return undefined
      await change
    }
    return undefined
  }
  try {
    return await within(timeoutMs, () => notTold(name, timeoutMs), signal, look)
  } finally {
    end()
    changed.resolve()
  }
}

/** Whether the source of that name has not told yet what it has. Where nobody has asked it to, it is asked. */
function isToTell({ registry, caller }: Needs, name: string): boolean {
  const source = sourceFor(registry, caller, name)
  if (!source) return false
  const telling = source.ready?.(caller)
  void telling?.catch(() => undefined)
  const { status } = source.health()
  if (telling !== undefined) return status !== 'unauthorized'
  return (status === 'connecting' || status === 'unhealthy') && source.tools(caller).length === 0
}

/** The one that code means by the first part of a name, which may be written otherwise there. */
function sourceFor(registry: Registry, caller: Caller, name: string): ToolSource | undefined {
  const [namespace = ''] = name.split('.', 1)
  const names = [...registry.sources(caller), ...registry.health()].map((one) => one.name)
  const found = names.find((one) => letters(one) === letters(namespace))
  return found === undefined ? undefined : registry.source(found)
}

const letters = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase()

const notTold = (name: string, timeoutMs: number) =>
  new CodeFailed(
    'mcp',
    'MCP_ERROR',
    `mcp.${name} was not called: its source has not told within ${timeoutMs / 1000} s what tools it has. Nothing was sent`,
    { tool: name, reason: 'source_unavailable', timeoutMs },
  )
