import { isIP } from 'node:net'
import type { EnclosedSpec } from '#contract/workspace.ts'
import { reachOf } from '#lib/address-reach.ts'
import type { Reach } from '#lib/address-reach.ts'
import { targetOf } from '#lib/target.ts'
import type { Target } from '#lib/target.ts'

export type Rules = Pick<EnclosedSpec, 'egress' | 'modelHosts'>

/** What is allowed to a name before anybody has looked where it leads. */
export type Leave =
  /** And why not, for people. */
  | { isAllowed: false; why: string }
  /** `named`: somebody has written down this very place. */
  | { isAllowed: true; named: boolean; reaches: readonly Reach[] }

const usualPorts = [443, 80]

/** Says whether a name may be asked for; touches nothing, so that nothing leaks by the asking. */
export function leaveFor({ egress, modelHosts }: Rules, target: Target): Leave {
  if (egress === 'none') return { isAllowed: false, why: 'its egress is none' }
  if (egress === 'open') return { isAllowed: true, named: false, reaches: ['public'] }
  const isModel = egress === 'model'
  const matching = (isModel ? modelHosts : egress).filter((entry) => matches(entry, target))
  if (matching.length === 0)
    return {
      isAllowed: false,
      why: isModel
        ? `its egress is model, and its models are at ${modelHosts.join(', ') || 'no place that is known'}`
        : 'it is not in the list that is its egress',
    }
  // Who configures a model may have it on this machine; in a list only an address says that it is meant.
  const named = matching.some(
    (entry) => hasPort(entry) && !entry.startsWith('*.') && (isModel || isPlace(target.host)),
  )
  return { isAllowed: true, named, reaches: ['public', 'private'] }
}

/** Whether a name may be followed to this address. */
export const mayReach = (leave: Leave & { isAllowed: true }, address: string): boolean =>
  leave.named || leave.reaches.includes(reachOf(address))

const hasPort = (entry: string): boolean => /^(\[.*\]|[^:]*):\d+$/.test(entry)

const isPlace = (host: string): boolean => isIP(host) !== 0 || host === 'localhost'

function matches(entry: string, { host, port }: Target): boolean {
  const isAll = entry.startsWith('*.')
  const isMet = usualPorts.some((usual) => targetOf(isAll ? entry.slice(2) : entry, usual)?.port === port)
  const wanted = targetOf(isAll ? entry.slice(2) : entry, port)?.host
  if (!isMet || !wanted) return false
  return isAll ? host.endsWith(`.${wanted}`) : host === wanted
}
