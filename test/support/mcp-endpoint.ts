import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ClientOptions } from '@modelcontextprotocol/client'
import pino from 'pino'
import type { Principal } from '#contract/access.ts'
import { openMcpEndpoint } from '#mcp/endpoint.ts'
import type { McpEndpoint, McpEndpointNeeds } from '#mcp/endpoint.ts'
import { openNativeSource } from '#tools/native-source.ts'
import type { Caller, NativeTool, Registry, ToolSource } from '#tools/port.ts'
import { openRegistry } from '#tools/registry.ts'

export const owner: Principal = { id: 'owner', kind: 'owner', name: 'Owner', scopes: ['board', 'tools'] }
export const user = (id: string, scopes: Principal['scopes'] = ['board', 'tools']): Principal => ({
  id,
  kind: 'user',
  name: id,
  scopes,
})

const settings = {
  timeout: 60_000,
  retryPolicy: { maxRetries: 0, initialDelay: 0, maxDelay: 0 },
  rateLimit: 100_000,
  maxConcurrent: 100,
  grants: ['*'],
  tools: [],
  isNative: true,
}

const callerOf = ({ id, kind, name, scopes }: Principal): Caller => ({
  kind: 'person',
  id,
  name,
  isOwner: kind === 'owner',
  scopes,
})

export interface EndpointHere {
  registry: Registry
  endpoint: McpEndpoint
  put(source: ToolSource): void
  /** A client that is let in as this principal. */
  client(options?: ClientHere): Promise<Client>
  ask(request: Request, principal?: Principal): Promise<Response>
  close(): Promise<void>
}

export interface ClientHere extends ClientOptions {
  as?: Principal
  era?: '2025-11-25' | '2026-07-28'
  path?: string
}

/** The endpoint with a real registry and native tools, without web or a database in front. */
export function openEndpointHere(
  sources: Record<string, readonly NativeTool[]>,
  more: Partial<McpEndpointNeeds> = {},
): EndpointHere {
  const registry = openRegistry({
    pins: { of: async () => new Map(), put: async () => undefined },
    approve: async () => undefined,
    note: async () => undefined,
  })
  const put = (source: ToolSource) => registry.put(source, settings)
  for (const [name, tools] of Object.entries(sources))
    put(openNativeSource({ name, description: `Tools of ${name}`, tools }))
  const log = pino({ level: 'silent' })
  const endpoint = openMcpEndpoint({ registry, callerOf, log, version: '1.0.0', ...more })
  const clients: Client[] = []
  return {
    registry,
    endpoint,
    put,
    async client({ as = owner, era = '2026-07-28', path = '/mcp', ...options } = {}) {
      const isModern = era === '2026-07-28'
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { ...options, versionNegotiation: { mode: isModern ? { pin: era } : 'legacy' } },
      )
      const transport = new StreamableHTTPClientTransport(new URL(`http://signalbox.test${path}`), {
        fetch: (url, init) => endpoint.fetch(new Request(url, init), as),
      })
      await client.connect(transport)
      clients.push(client)
      return client
    },
    ask: (request, principal = owner) => endpoint.fetch(request, principal),
    async close() {
      await Promise.allSettled(clients.map((client) => client.close()))
      await endpoint.close()
      await registry.close()
    },
  }
}
