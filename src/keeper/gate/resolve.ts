import type { LookupAddress } from 'node:dns'
import { addressesOf } from '#lib/resolve-host.ts'
import type { Target } from '#lib/target.ts'
import { leaveFor, mayReach } from './allowed.ts'
import type { Rules } from './allowed.ts'

/** Where a target may be reached, or why not. The addresses are those that are connected to: nobody asks a resolver twice. */
export type Way = { addresses: LookupAddress[] } | { why: string }

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
