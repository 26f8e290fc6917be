import { lookup } from 'node:dns/promises'
import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { LookupFunction } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const resolveMs = 10_000

/** For a connection to a name: these addresses and no others, so that nobody asks a resolver twice. */
export const lookupIn =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, options, answer) => {
    if (options.all) answer(null, [...addresses])
    else answer(null, addresses[0]!.address, addresses[0]!.family)
  }

/** Rejects when the name cannot be resolved. */
export async function addressesOf(host: string): Promise<LookupAddress[]> {
  if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }]
  const done = new AbortController()
  const late = wait(resolveMs, undefined, { signal: done.signal }).then(() => {
    throw new Error(`${host} could not be resolved in ${resolveMs / 1000} s`)
  })
  late.catch(() => undefined)
  return Promise.race([lookup(host, { all: true, verbatim: true }), late]).finally(() => done.abort())
}
