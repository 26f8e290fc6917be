import type { Principal, Scope } from '#contract/access.ts'
import type { Capabilities } from '#contract/execute.ts'
import { wishOf } from './capability-wish.ts'
import { everyonesMost, numberIn, ownersMost } from './capability-most.ts'
import type { Limit, Most } from './capability-most.ts'
import type { Wish } from './capability-wish.ts'
import { excessIn } from './capability-excess.ts'
import { spelled } from './code-hosts.ts'

// What code may reach: what was asked for, held against what the caller has. Whatever is not named is denied.

/** Stored with a run that is put away: JSON. */
export interface CodeGrants {
  network: {
    /** `api.example.com`, `*.example.com`, `*` for all that is public, each with `:8443` where only that port is meant. None: no network. */
    hosts: string[]
    /** For hosts that name none; none here either: any. */
    ports: number[]
    perSecond: number
    /** Of a request, and of an answer. */
    maxBytes: number
    timeoutMs: number
  }
  files: {
    /** In the workspace from its root (`.` is all of it), without a session absolute ones of the machine. None: no files. */
    paths: { path: string; isReadOnly: boolean }[]
    maxBytes: number
    /** In lower case, with their dots; none: any. */
    extensions: string[]
  }
  mcp: {
    /** Patterns of `namespace.tool`: `github.*`, `github.get_*`, `*`. None: no tools. */
    tools: string[]
    perSecond: number
    atOnce: number
    timeoutMs: number
  }
  system: { time: boolean; random: boolean }
}

/** What the configuration sets: limits for everybody, and what everybody but the owner may reach at most. */
export interface CapabilityLimits {
  network: {
    allowedHosts: readonly string[]
    allowedPorts: readonly number[]
    maxRequestsPerSecond: number
    maxRequestSize: number
    timeout: number
  }
  filesystem: {
    allowedPaths: readonly string[]
    readOnly: boolean
    maxFileSize: number
    allowedExtensions: readonly string[]
  }
  mcp: {
    allowedServers: readonly string[]
    allowedTools: readonly string[]
    maxCallsPerSecond: number
    maxConcurrentCalls: number
    timeout: number
  }
  system: { time: boolean }
}

export interface AskedGrants {
  asked: Capabilities | undefined
  by: Pick<Principal, 'kind' | 'scopes'>
  /** Files are those of its workspace then. */
  hasSession: boolean
  /** Of the configuration: `security.capabilities`. */
  limits: CapabilityLimits
  /** What is meant when nothing is asked for: nothing, or every tool that the caller has. */
  byDefault?: 'nothing' | 'mcp'
}

/** One thing that was asked for and is more than the caller has. */
export interface Excess {
  /** As one would ask for it: `network:example.com`. */
  capability: string
  allowed: string
  /** Where the owner would allow it. */
  setting: string
}

/** Not granted is a `security` error of the code, CAPABILITY_VIOLATION, with these words. */
export type Granted =
  | { isGranted: true; grants: CodeGrants }
  | { isGranted: false; message: string; details: { excess: Excess[]; missing?: Scope[] } }

/** Throws Problem `does_not_fit` for what is no capability at all. */
export function grantsFor({ asked, by, hasSession, limits, byDefault = 'nothing' }: AskedGrants): Granted {
  const wish = wishOf(asked ?? (byDefault === 'mcp' ? ['mcp:*'] : []), { hasSession })
  if (wish.tools.length > 0 && !mayCallTools(by)) return withoutTools(wish)
  const most = by.kind === 'owner' ? ownersMost(limits) : everyonesMost(limits)
  const excess = excessIn(wish, most, hasSession ? undefined : limits.filesystem)
  if (excess.length === 0) return { isGranted: true, grants: granted(wish, most, limits) }
  return { isGranted: false, message: refusal(excess), details: { excess } }
}

function granted(wish: Wish, most: Most, limits: CapabilityLimits): CodeGrants {
  const number = (limit: Limit) => numberIn(wish.limits, limit) ?? numberIn(limits, limit) ?? 1
  return {
    network: {
      hosts: [...new Set(wish.hosts.map(spelled))],
      ports: wish.ports.length > 0 ? wish.ports : [...most.ports],
      perSecond: number('network.maxRequestsPerSecond'),
      maxBytes: number('network.maxRequestSize'),
      timeoutMs: number('network.timeout'),
    },
    files: {
      paths: wish.paths,
      maxBytes: number('filesystem.maxFileSize'),
      extensions: wish.extensions.length > 0 ? wish.extensions : [...most.extensions],
    },
    mcp: {
      tools: [...new Set(wish.tools.flatMap((pattern) => (pattern === '*' ? most.tools : [pattern])))],
      perSecond: number('mcp.maxCallsPerSecond'),
      atOnce: number('mcp.maxConcurrentCalls'),
      timeoutMs: number('mcp.timeout'),
    },
    system: { ...wish.system },
  }
}

/** Agents are let to tools by their grants, people by their scopes. */
const mayCallTools = ({ kind, scopes }: AskedGrants['by']): boolean =>
  kind !== 'user' || scopes.includes('tools')

function withoutTools({ tools }: Wish): Granted {
  const excess = tools.map((pattern) => ({
    capability: `mcp:${pattern.replace(/\.\*$/, '')}`,
    allowed: 'no tool',
    setting: 'the scope tools',
  }))
  const message =
    'This code asks to call tools, which needs the scope tools, and the token does not have it. Ask for no mcp capability, or let the owner give you the scope'
  return { isGranted: false, message, details: { excess, missing: ['tools'] } }
}

const mostTold = 5

function refusal(excess: readonly Excess[]): string {
  const told = excess
    .slice(0, mostTold)
    .map(({ capability, allowed, setting }) => `${capability}, where ${allowed} is allowed (${setting})`)
  const more = excess.length > mostTold ? `; and ${excess.length - mostTold} more` : ''
  return `This code asks for more than it can be given: ${told.join('; ')}${more}. Ask for less, or let the owner allow it in the configuration.`
}
