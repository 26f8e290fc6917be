import { fits } from '#lib/glob.ts'
import { numberIn, numericLimits } from './capability-most.ts'
import type { Most } from './capability-most.ts'
import type { Wish } from './capability-wish.ts'
import type { CapabilityLimits, Excess } from './code-capabilities.ts'
import { covers, spelled } from './code-hosts.ts'
import type { HostPattern } from './code-hosts.ts'
import { isBelow } from './code-paths.ts'

const settings = 'security.capabilities'

/** All of a wish that is more than somebody may have. `machine` is there where its files are those of the machine, not of a workspace. */
export function excessIn(
  wish: Wish,
  most: Most,
  machine: CapabilityLimits['filesystem'] | undefined,
): Excess[] {
  const filesExcess = machine ? wish.paths.flatMap((one) => pathBeyond(one, machine)) : []
  const noTime = { capability: 'system:time', allowed: 'no clock', setting: `${settings}.system.time` }
  return [
    ...networkBeyond(wish, most),
    ...filesExcess,
    ...extensionsBeyond(wish, most),
    ...toolsBeyond(wish, most),
    ...(wish.system.time && !most.hasTime ? [noTime] : []),
    ...limitsBeyond(wish, most),
  ]
}

function networkBeyond({ hosts, ports }: Wish, most: Most): Excess[] {
  const setting = `${settings}.network.allowedHosts`
  const { hosts: mostHosts } = most
  const beyond = mostHosts === 'any' ? [] : hosts.filter((host) => !isHostWithin(host, mostHosts, most.ports))
  const allowed = mostHosts === 'any' ? '' : listed(mostHosts.map(spelled), 'no host')
  const strange = ports.filter((port) => most.ports.length > 0 && !most.ports.includes(port))
  return [
    ...beyond.map((host) => ({ capability: `network:${spelled(host)}`, allowed, setting })),
    ...strange.map((port) => ({
      capability: `the port ${port}`,
      allowed: listed(most.ports.map(String), 'none'),
      setting: `${settings}.network.allowedPorts`,
    })),
  ]
}

const isHostWithin = (host: HostPattern, most: readonly HostPattern[], ports: readonly number[]): boolean =>
  most.some(
    (wider) =>
      covers(wider, host) &&
      (wider.port !== undefined ||
        host.port === undefined ||
        ports.length === 0 ||
        ports.includes(host.port)),
  )

function pathBeyond(
  { path, isReadOnly }: Wish['paths'][number],
  { allowedPaths, readOnly }: CapabilityLimits['filesystem'],
): Excess[] {
  const capability = `fs:${path}${isReadOnly ? '' : ':rw'}`
  if (!allowedPaths.some((folder) => isBelow(path, folder)))
    return [
      {
        capability,
        allowed: listed(allowedPaths, 'no path'),
        setting: `${settings}.filesystem.allowedPaths`,
      },
    ]
  if (isReadOnly || !readOnly) return []
  return [{ capability, allowed: `fs:${path}`, setting: `${settings}.filesystem.readOnly` }]
}

const extensionsBeyond = ({ extensions }: Wish, { extensions: most }: Most): Excess[] =>
  extensions
    .filter((extension) => most.length > 0 && !most.includes(extension))
    .map((extension) => ({
      capability: `files that end with ${extension}`,
      allowed: listed(most, 'none'),
      setting: `${settings}.filesystem.allowedExtensions`,
    }))

/** A `*` that stands alone means whatever one has. */
const toolsBeyond = ({ tools }: Wish, { tools: most }: Most): Excess[] =>
  tools
    .filter((pattern) => pattern !== '*' && !most.some((wider) => fits(wider, pattern)))
    .map((pattern) => ({
      capability: `mcp:${pattern.replace(/\.\*$/, '')}`,
      allowed: listed(most, 'no tool'),
      setting: `${settings}.mcp.allowedServers and allowedTools`,
    }))

const limitsBeyond = ({ limits }: Wish, { numbers }: Most): Excess[] =>
  numericLimits
    .filter((limit) => (numberIn(limits, limit) ?? 0) > numbers[limit])
    .map((limit) => ({
      capability: `${limit} ${numberIn(limits, limit)}`,
      allowed: `at most ${numbers[limit]}`,
      setting: `${settings}.${limit}`,
    }))

const mostListed = 10

const listed = (all: readonly string[], none: string): string => {
  if (all.length === 0) return none
  return `${all.slice(0, mostListed).join(', ')}${all.length > mostListed ? ', …' : ''}`
}
