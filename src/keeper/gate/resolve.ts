import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { leaveFor, mayReach } from './allowed.ts'
import type { Rules, Target } from './allowed.ts'

/** Where a target may be reached, or why not. The addresses are those that are connected to: nobody asks a resolver twice. */
export type Way = { addresses: LookupAddress[] } | { why: string }

const resolveMs = 10_000

/** Rejects when the name cannot be resolved. */
export async function wayTo(rules: Rules, target: Target): Promise<Way> {
  const leave = leaveFor(rules, target)
  if (!leave.isAllowed) return leave
  const addresses = await addressesOf(target.host)
  const open = addresses.filter(({ address }) => mayReach(leave, address))
  if (open.length > 0) return { addresses: open }
  const where = addresses[0]?.address ?? 'nowhere'
  return { why: `${target.host} leads to ${where}, which is not a public address` }
}

/** For a connection to a name: these addresses and no others. */
export const lookupIn =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, options, answer) => {
    if (options.all) answer(null, addresses)
    else answer(null, addresses[0]!.address, addresses[0]!.family)
  }

async function addressesOf(host: string): Promise<LookupAddress[]> {
  if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }]
  const done = new AbortController()
  const late = wait(resolveMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`${host} could not be resolved in ${resolveMs / 1000} s`)
  })
  late.catch(() => undefined)
  return Promise.race([lookup(host, { all: true, verbatim: true }), late]).finally(() => done.abort())
}
