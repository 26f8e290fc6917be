import type { Capabilities, CapabilitySet } from '#contract/execute.ts'
import { fits } from '#lib/glob.ts'
import { hostPattern } from './code-hosts.ts'
import type { HostPattern } from './code-hosts.ts'
import { extensionOf, pathOf } from './code-paths.ts'
import { Problem } from './problem.ts'

/** What was asked for, whichever way it was said. */
export interface Wish {
  hosts: HostPattern[]
  ports: number[]
  paths: { path: string; isReadOnly: boolean }[]
  extensions: string[]
  /** Patterns of `namespace.tool`. */
  tools: string[]
  system: { time: boolean; random: boolean }
  limits: Pick<CapabilitySet, 'network' | 'filesystem' | 'mcp'>
}

interface Surroundings {
  hasSession: boolean
}

/** Throws Problem `does_not_fit`, which names what is no capability, and what would be one. */
export const wishOf = (asked: Capabilities, around: Surroundings): Wish =>
  Array.isArray(asked) ? fromWords(asked, around) : fromSet(asked, around)

const nothing = (): Wish => ({
  hosts: [],
  ports: [],
  paths: [],
  extensions: [],
  tools: [],
  system: { time: false, random: false },
  limits: {},
})

function fromWords(words: readonly string[], around: Surroundings): Wish {
  const wish = nothing()
  for (const [at, word] of words.entries()) {
    const [, kind = '', rest = ''] = /^\s*([^:\s]*)\s*:\s*(.*?)\s*$/s.exec(word) ?? []
    const field = `capabilities.${at}`
    if (kind === 'mcp') wish.tools.push(mcpWord(field, rest))
    else if (kind === 'network') wish.hosts.push(host(field, rest))
    else if (kind === 'fs' || kind === 'filesystem') wish.paths.push(pathWord(field, rest, around))
    else if (kind === 'system' && (rest === 'time' || rest === 'random')) wish.system[rest] = true
    else if (kind === 'system') throw misfit(field, `${shown(word)} is none: system:time or system:random`)
    else throw misfit(field, `${shown(word)} is none: ${forms}`)
  }
  return wish
}

const forms =
  'a capability is mcp:SERVER, mcp:SERVER.TOOL, network:HOST, network:HOST:PORT, fs:PATH, fs:PATH:rw, system:time or system:random'

function fromSet({ network, filesystem, mcp, system }: CapabilitySet, around: Surroundings): Wish {
  const { allowedServers: servers = [], allowedTools: tools = [] } = mcp ?? {}
  const isReadOnly = filesystem?.readOnly ?? true
  return {
    hosts: (network?.allowedHosts ?? []).map((text, at) =>
      host(`capabilities.network.allowedHosts.${at}`, text),
    ),
    ports: network?.allowedPorts ?? [],
    paths: (filesystem?.allowedPaths ?? []).map((text, at) => ({
      path: path(`capabilities.filesystem.allowedPaths.${at}`, text, around),
      isReadOnly,
    })),
    extensions: (filesystem?.allowedExtensions ?? []).map(extensionOf),
    tools: toolPatterns(servers, tools),
    system: system ?? { time: false, random: false },
    limits: { ...(network && { network }), ...(filesystem && { filesystem }), ...(mcp && { mcp }) },
  }
}

/** Servers, and of these only the tools that are named, where any is: whoever names tools alone means these. */
function toolPatterns(servers: readonly string[], tools: readonly string[]): string[] {
  const whole = servers.map((name, at) => {
    const pattern = serverPattern(name)
    if (!pattern) throw misfit(`capabilities.mcp.allowedServers.${at}`, `${shown(name)} ${aServer}`)
    return pattern
  })
  if (tools.length === 0) return whole
  const named = tools.map((name, at) => {
    const pattern = toolPattern(name)
    if (!pattern) throw misfit(`capabilities.mcp.allowedTools.${at}`, `${shown(name)} ${aTool}`)
    return pattern
  })
  return servers.length === 0 ? named : named.filter((tool) => isAmong(tool, whole))
}

/** The same as the configuration has it; what is none there allows nothing. */
export function configuredTools(servers: readonly string[], tools: readonly string[]): string[] {
  const whole = servers.flatMap((name) => serverPattern(name) ?? [])
  const named = tools.flatMap((name) => toolPattern(name) ?? [])
  if (tools.length === 0) return servers.length === 0 ? ['*'] : whole
  return servers.length === 0 ? named : named.filter((tool) => isAmong(tool, whole))
}

const isAmong = (tool: string, servers: readonly string[]): boolean =>
  servers.some((server) => fits(server, tool))

const serverPattern = (name: string): string | undefined =>
  name === '*' ? '*' : /^[\w-]+$/.test(name) ? `${name}.*` : undefined

const toolPattern = (name: string): string | undefined => (/^[\w-]+\.[\w.*-]+$/.test(name) ? name : undefined)

const aServer = 'is no server: github, or * for all that you have'
const aTool = 'is no tool: it is written with its server, as in github.create_issue'

function mcpWord(field: string, text: string): string {
  const pattern = serverPattern(text) ?? toolPattern(text)
  if (!pattern) throw misfit(field, `${shown(text)} ${text.includes('.') ? aTool : aServer}`)
  return pattern
}

function host(field: string, text: string): HostPattern {
  const found = hostPattern(text)
  if (found) return found
  const meant = URL.parse(text)?.host
  const hint = meant
    ? `: only its host is named, ${shown(meant)}`
    : ', as in api.example.com, *.example.com or 10.0.0.5:8080'
  throw misfit(field, `${shown(text)} is no host${hint}`)
}

function pathWord(field: string, text: string, around: Surroundings): Wish['paths'][number] {
  const [, bare = '', mode = 'ro'] = /^(.*?)(?::(rw|ro))?$/s.exec(text) ?? []
  return { path: path(field, bare, around), isReadOnly: mode === 'ro' }
}

function path(field: string, text: string, { hasSession }: Surroundings): string {
  const found = pathOf(text, hasSession)
  if (found !== undefined) return found
  throw misfit(
    field,
    hasSession
      ? `${shown(text)} is no path in the workspace: it begins at its root, as in src or docs/a.md`
      : `${shown(text)} is no path of the machine: it begins with /. For the files of a workspace name its session`,
  )
}

const shown = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)

const misfit = (field: string, reason: string) =>
  new Problem('does_not_fit', `The body does not fit: ${field}: ${reason}`, {
    in: 'body',
    fields: [{ field, reason }],
  })
