import { isIP } from 'node:net'
import { hostOf, inAddress } from '#lib/target.ts'
import type { Target } from '#lib/target.ts'
import type { CodeGrants } from './code-capabilities.ts'

/** A place that code may reach, as somebody has written it down. */
export interface HostPattern {
  /** Every public host, all below a name, or this one. */
  kind: 'any' | 'below' | 'exact'
  host: string
  /** Undefined: the usual rules for ports. */
  port: number | undefined
}

/** In any spelling that a resolver would take. Undefined when it is none. */
export function hostPattern(text: string): HostPattern | undefined {
  const isBare = /^[\da-f:.]+$/i.test(text) && text.split(':').length > 2
  const [, name = '', digits] = /^(\[[^\]]*\]|[^:]+)(?::(\d{1,5}))?$/.exec(isBare ? `[${text}]` : text) ?? []
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  if (name === '*') return { kind: 'any', host: '*', port }
  const isBelow = name.startsWith('*.')
  const host = hostOf(isBelow ? name.slice(2) : name)
  if (!host || host.includes('*') || (isBelow && isIP(host) !== 0)) return undefined
  return { kind: isBelow ? 'below' : 'exact', host, port }
}

/** As it is stored, and told. */
export const spelled = ({ kind, host, port }: HostPattern): string =>
  `${kind === 'below' ? '*.' : ''}${inAddress(host)}${port === undefined ? '' : `:${port}`}`

/** Whether whoever has the one has the other. What cannot be public is had by its own name alone. */
export function covers(wider: HostPattern, narrower: HostPattern): boolean {
  if (wider.port !== undefined && wider.port !== narrower.port) return false
  if (wider.kind === 'exact') return narrower.kind === 'exact' && narrower.host === wider.host
  if (narrower.kind === 'any') return wider.kind === 'any'
  if (narrower.kind === 'exact' && (isIP(narrower.host) !== 0 || isOwnName(narrower.host))) return false
  if (wider.kind === 'any' || narrower.host.endsWith(`.${wider.host}`)) return true
  return narrower.kind === 'below' && narrower.host === wider.host
}

const ownEndings =
  /(?:^|\.)(?:local|localhost|localdomain|internal|intranet|lan|home|corp|private|home\.arpa)$/

/** A name that no public resolver knows: of this machine, or of a network that is somebody's own. */
const isOwnName = (host: string): boolean => !host.includes('.') || ownEndings.test(host)

/** Whether a place may be asked for; where it leads is looked at after that. */
export const mayAskFor = (network: CodeGrants['network'], target: Target): boolean =>
  patternsOf(network).some(
    (pattern) =>
      (pattern.kind === 'any' || covers(pattern, { kind: 'exact', ...target })) &&
      isPort(network, pattern, target),
  )

interface Found {
  address: string
  reach: 'here' | 'private' | 'public'
}

/**
 * Whether a name may be followed to this address. To one that is not public only if it is named itself, so that whoever answers for a
 * name cannot send code into our networks; names that nobody outside can answer for are taken at their word.
 */
export function mayFollow(
  network: CodeGrants['network'],
  target: Target,
  { address, reach }: Found,
): boolean {
  if (reach === 'public') return true
  const named = patternsOf(network).filter(
    (pattern) => pattern.kind === 'exact' && isPort(network, pattern, target),
  )
  if (named.some(({ host }) => host === hostOf(inAddress(address)))) return true
  if (!named.some(({ host }) => host === target.host)) return false
  if (/^(?:.+\.)?localhost$/.test(target.host)) return isLoopback(address)
  return reach === 'private' && isIP(target.host) === 0 && isOwnName(target.host)
}

const isLoopback = (address: string): boolean =>
  address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))

const patternsOf = ({ hosts }: CodeGrants['network']): HostPattern[] =>
  hosts.flatMap((text) => hostPattern(text) ?? [])

const isPort = ({ ports }: CodeGrants['network'], pattern: HostPattern, { port }: Target): boolean =>
  pattern.port === undefined ? ports.length === 0 || ports.includes(port) : pattern.port === port
