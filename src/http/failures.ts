import type { Context } from 'hono'
import { isIP, isIPv6 } from 'node:net'
import type { Env } from './room.ts'
import { socketOf } from './socket.ts'

export interface Failures {
  /** Notes a failed attempt. Answers with the seconds to wait when there have been too many, else with nothing. */
  note(address: string): number | undefined
}

/**
 * Counts failed attempts by address: `burst` at once, then `perMinute`. It never stops a valid token, because every
 * program on a machine shares its address; what it stops is the 401 that tells a guesser to go on.
 */
export function openFailures(
  options: { burst?: number; perMinute?: number; addresses?: number; now?: () => number } = {},
): Failures {
  const { burst = 30, perMinute = 30, addresses = 10_000, now = Date.now } = options
  const seen = new Map<string, { left: number; at: number }>()
  return {
    note(address) {
      const network = networkOf(address)
      const last = seen.get(network) ?? { left: burst, at: now() }
      const left = Math.min(burst, last.left + ((now() - last.at) / 60_000) * perMinute)
      const tooMany = left < 1
      // Set anew, so that the one forgotten first is the one that has been quiet longest.
      seen.delete(network)
      seen.set(network, { left: tooMany ? left : left - 1, at: now() })
      if (seen.size > addresses) for (const oldest of seen.keys().take(1)) seen.delete(oldest)
      return tooMany ? Math.ceil(((1 - left) * 60) / perMinute) : undefined
    },
  }
}

/** A household or a server gets a whole /64 of IPv6 addresses: counting single ones would count nothing. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1]) return mapped[1]
  const [head = '', tail] = address.split('%', 1).join('').split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length)
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/**
 * Who is calling. Behind a trusted proxy that is the last entry of X-Forwarded-For, the one that the proxy itself
 * wrote; everything before it was sent by the caller, who may write what they like.
 */
export const clientAddress = (c: Context<Env>, trustProxy: boolean): string =>
  addressOf(socketOf(c)?.remoteAddress, c.req.header('x-forwarded-for'), trustProxy)

export function addressOf(direct = 'unknown', forwarded: string | undefined, trustProxy: boolean): string {
  if (!trustProxy) return direct
  const last = forwarded?.split(',').at(-1)?.trim() ?? ''
  const bare = last.replace(/^\[(.*)\](?::\d+)?$/, '$1').replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return isIP(bare) ? bare : direct
}
