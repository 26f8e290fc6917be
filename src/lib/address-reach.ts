import { BlockList, isIP, isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Where an address leads: to this machine or its link, into a network that is somebody's own, or out. */
export type Reach = 'here' | 'private' | 'public'

const here = listOf({
  ipv4: ['0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  ipv6: ['::/96', 'fe80::/10', 'ff00::/8'],
})
/** Also what stands for an IPv4 address of any kind, or for nothing that could be reached. */
const ownNetworks = listOf({
  ipv4: [
    '10.0.0.0/8',
    '100.64.0.0/10',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.88.99.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
  ],
  ipv6: [
    'fc00::/7',
    'fec0::/10',
    '64:ff9b:1::/48',
    '100::/64',
    '2001::/32',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
    '5f00::/16',
  ],
})

export function reachOf(address: string): Reach {
  const within = embedded(address)
  if (within !== undefined) return reachOf(within)
  const family = isIPv6(address) ? 'ipv6' : 'ipv4'
  if (here.check(address, family) || isOurs(address)) return 'here'
  return ownNetworks.check(address, family) ? 'private' : 'public'
}

/** The IPv4 address that is meant by an IPv6 one: mapped (::ffff:…), or behind a translator (::ffff:0:…, 64:ff9b::…). */
function embedded(address: string): string | undefined {
  if (!isIPv6(address)) return undefined
  const groups = canonical(address).split(':')
  const isMapped = /^::ffff:(?:0:)?[0-9a-f]{1,4}:[0-9a-f]{1,4}$/.test(canonical(address))
  const isTranslated = /^64:ff9b::(?:(?:[0-9a-f]{1,4}:)?[0-9a-f]{1,4})?$/.test(canonical(address))
  if (!isMapped && !isTranslated) return undefined
  const [high = '', low = ''] = groups.slice(-2)
  const number = Number.parseInt(high || '0', 16) * 65_536 + Number.parseInt(low || '0', 16)
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.')
}

/** Whatever listens on this machine is reached by these too. */
function isOurs(address: string): boolean {
  const ours = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return ours.some((one) => sameAddress(one.address, address))
}

const sameAddress = (one: string, other: string): boolean =>
  isIP(one) === isIP(other) && canonical(one) === canonical(other)

/** Without its zone, in the shortest spelling. */
function canonical(address: string): string {
  const [bare = ''] = address.split('%')
  return isIPv6(bare) ? new URL(`http://[${bare}]`).hostname.slice(1, -1) : bare
}

function listOf(ranges: Record<'ipv4' | 'ipv6', readonly string[]>): BlockList {
  const list = new BlockList()
  for (const family of ['ipv4', 'ipv6'] as const)
    for (const range of ranges[family]) {
      const [net = '', bits = ''] = range.split('/')
      list.addSubnet(net, Number(bits), family)
    }
  return list
}
