import { codeStrings } from '../../strings/code.ts'

/** What code may reach, as it is filled in. */
export interface Reach {
  tools: 'all' | 'some' | 'none'
  /** With `some`. */
  sources: string[]
  /** One on a line. */
  hosts: string
  paths: string
  sessionId: string | null
  isReal: boolean
}

export const usualReach: Reach = {
  tools: 'all',
  sources: [],
  hosts: '',
  paths: '',
  sessionId: null,
  isReal: false,
}

const lines = (text: string): string[] =>
  text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean)

/** As `capabilities` are said in words. */
export function capabilitiesOf({ tools, sources, hosts, paths, isReal }: Reach): string[] {
  return [
    ...(tools === 'all' ? ['mcp:*'] : tools === 'some' ? sources.map((name) => `mcp:${name}`) : []),
    ...lines(hosts).map((host) => `network:${host}`),
    ...lines(paths).map((path) => `fs:${path}`),
    ...(isReal ? ['system:time', 'system:random'] : []),
  ]
}

/** The same with one more; nothing where it is none that can be filled in. */
export function withCapability(reach: Reach, capability: string): Reach | undefined {
  const [, kind = '', rest = ''] = /^(\w+):(.+)$/.exec(capability) ?? []
  const added = (text: string) => [...lines(text), rest].join('\n')
  if (kind === 'network') return { ...reach, hosts: added(reach.hosts) }
  if (kind === 'fs') return { ...reach, paths: added(reach.paths) }
  if (kind === 'system') return { ...reach, isReal: true }
  if (kind !== 'mcp') return undefined
  const source = rest.split('.', 1)[0] ?? rest
  return { ...reach, tools: 'some', sources: [...new Set([...reach.sources, source])] }
}

export function summaryOf(reach: Reach): string {
  const words = codeStrings.reach
  const hosts = lines(reach.hosts).length
  const paths = lines(reach.paths).length
  const parts = [
    ...(reach.tools === 'all' ? [words.allTools] : []),
    ...(reach.tools === 'some' && reach.sources.length > 0 ? [words.someTools(reach.sources.length)] : []),
    ...(hosts > 0 ? [words.hosts(hosts)] : []),
    ...(paths > 0 ? [words.paths(paths)] : []),
    ...(reach.isReal ? [words.clock] : []),
  ]
  return parts.join(', ') || words.nothing
}
