import { valueAt } from '#lib/tree.ts'
import type { CapabilityLimits } from './code-capabilities.ts'
import { configuredTools } from './capability-wish.ts'
import { hostPattern } from './code-hosts.ts'
import type { HostPattern } from './code-hosts.ts'
import { extensionOf } from './code-paths.ts'

const MEGABYTE = 1024 ** 2

/** However much somebody asks for, and whoever they are. */
const hardest = {
  'network.maxRequestsPerSecond': 1_000,
  'network.maxRequestSize': 64 * MEGABYTE,
  'network.timeout': 120_000,
  'filesystem.maxFileSize': 8 * MEGABYTE,
  'mcp.maxCallsPerSecond': 1_000,
  'mcp.maxConcurrentCalls': 100,
  'mcp.timeout': 600_000,
}
export type Limit = keyof typeof hardest
export const numericLimits = Object.keys(hardest) as Limit[]

/** What somebody may have at most. */
export interface Most {
  hosts: readonly HostPattern[] | 'any'
  /** None: any. So it is with extensions. */
  ports: readonly number[]
  extensions: readonly string[]
  tools: readonly string[]
  hasTime: boolean
  numbers: Record<Limit, number>
}

export const ownersMost = (limits: CapabilityLimits): Most => ({
  hosts: 'any',
  ports: [],
  extensions: [],
  tools: ['*'],
  hasTime: true,
  numbers: numbersOf((limit) => Math.max(hardest[limit], numberIn(limits, limit) ?? 0)),
})

export const everyonesMost = (limits: CapabilityLimits): Most => ({
  hosts: limits.network.allowedHosts.flatMap((text) => hostPattern(text) ?? []),
  ports: limits.network.allowedPorts,
  extensions: limits.filesystem.allowedExtensions.map(extensionOf),
  tools: configuredTools(limits.mcp.allowedServers, limits.mcp.allowedTools),
  hasTime: limits.system.time,
  numbers: numbersOf((limit) => numberIn(limits, limit) ?? hardest[limit]),
})

export function numberIn(tree: unknown, limit: Limit): number | undefined {
  const value = valueAt(tree, limit.split('.'))
  return typeof value === 'number' ? value : undefined
}

const numbersOf = (of: (limit: Limit) => number): Record<Limit, number> => ({
  'network.maxRequestsPerSecond': of('network.maxRequestsPerSecond'),
  'network.maxRequestSize': of('network.maxRequestSize'),
  'network.timeout': of('network.timeout'),
  'filesystem.maxFileSize': of('filesystem.maxFileSize'),
  'mcp.maxCallsPerSecond': of('mcp.maxCallsPerSecond'),
  'mcp.maxConcurrentCalls': of('mcp.maxConcurrentCalls'),
  'mcp.timeout': of('mcp.timeout'),
})
