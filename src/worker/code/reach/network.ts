import type { LookupAddress } from 'node:dns'
import type { CodeGrants } from '#domain/code-capabilities.ts'
import { mayAskFor, mayFollow } from '#domain/code-hosts.ts'
import { reachOf } from '#lib/address-reach.ts'
import { addressesOf } from '#lib/resolve-host.ts'
import { authorityOf, inAddress } from '#lib/target.ts'
import type { Target } from '#lib/target.ts'
import { fetchAnswer } from './fetch-answer.ts'
import type { FetchAnswer } from './fetch-answer.ts'
import { fetchOnce, targetIn } from './fetch-once.ts'
import { fetchRequest, placeOf, redirected } from './fetch-request.ts'
import type { FetchRequest } from './fetch-request.ts'
import { asNetworkFailure, isPassing, networkFailed, notAllowed } from './network-failure.ts'
import type { OwnPlaces } from './own-places.ts'
import { openPace } from './pace.ts'
import { openTurns } from './turns.ts'
import { within } from './within.ts'

interface Needs {
  grants: CodeGrants['network']
  own: OwnPlaces
  resolve?: (host: string) => Promise<LookupAddress[]>
  /** Told of every request before it goes out. */
  onRequest: (target: Target) => void
}

export interface NetworkReach {
  /** `beforeSend` is awaited before every request of it. */
  fetch(
    given: readonly unknown[],
    signal: AbortSignal,
    beforeSend?: () => Promise<void>,
  ): Promise<FetchAnswer>
}

const mostAtOnce = 16
const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
const repeatable = new Set(['GET', 'HEAD'])

/** The hosts that were granted, by `fetch`. */
export function openNetworkReach({ grants, own, resolve = addressesOf, onRequest }: Needs): NetworkReach {
  const pace = openPace(grants.perSecond)
  const turns = openTurns(mostAtOnce)

  /** The addresses that may be connected to; nobody looks the name up a second time. */
  async function wayTo(target: Target): Promise<LookupAddress[]> {
    const capability = `network:${authorityOf(target)}`
    if (own.hosts.includes(authorityOf(target))) throw notAllowed(target, itself)
    if (!mayAskFor(grants, target))
      throw notAllowed(
        target,
        `it was not given the capability. Ask for it with capabilities: ["${capability}"]`,
        capability,
      )
    const found = await resolve(target.host)
    const seen = found.map(({ address, family }) => ({ address, family, reach: reachOf(address) }))
    if (seen.some(({ reach }) => reach === 'here' && own.ports.includes(target.port)))
      throw notAllowed(target, itself)
    const open = seen.filter((one) => mayFollow(grants, target, one))
    if (open.length === 0) throw notPublic(target, seen[0]?.address ?? 'nowhere')
    return open.map(({ address, family }) => ({ address, family }))
  }

  async function follow(
    first: FetchRequest,
    signal: AbortSignal,
    beforeSend: () => Promise<void>,
  ): Promise<FetchAnswer> {
    let request = first
    for (let hops = 0; ; hops += 1) {
      const target = targetIn(request.url)
      const addresses = await wayTo(target)
      await beforeSend()
      signal.throwIfAborted()
      onRequest(target)
      const incoming = await fetchOnce(request, addresses, signal)
      const { statusCode = 0, headers } = incoming
      if (!redirects.has(statusCode) || headers.location === undefined)
        return fetchAnswer(incoming, request.url, request.method, grants.maxBytes)
      incoming.destroy()
      if (hops === mostRedirects)
        throw networkFailed(
          'too_many_redirects',
          `${first.url.host} leads on more than ${mostRedirects} times`,
          { host: first.url.host },
        )
      request = redirected(request, statusCode, placeOf(headers.location, request.url))
    }
  }

  async function tryTwice(
    request: FetchRequest,
    signal: AbortSignal,
    beforeSend: () => Promise<void>,
  ): Promise<FetchAnswer> {
    const late = () => tooLate(request.url.host, grants.timeoutMs)
    for (let tries = 1; ; tries += 1)
      try {
        return await within(grants.timeoutMs, late, signal, (its) => follow(request, its, beforeSend))
      } catch (error) {
        signal.throwIfAborted()
        if (tries === 2 || !repeatable.has(request.method) || !isPassing(error))
          throw asNetworkFailure(error, request.url.host, tries)
      }
  }

  return {
    async fetch([given], signal, beforeSend = () => Promise.resolve()) {
      const request = fetchRequest(given, grants.maxBytes)
      return turns.inTurn(async () => {
        await pace.take(signal)
        return tryTwice(request, signal, beforeSend)
      }, signal)
    },
  }
}

const itself = 'that is Signalbox itself. What it can do for code is in mcp'

function notPublic(target: Target, address: string) {
  const capability = `network:${inAddress(address)}`
  return notAllowed(
    target,
    `it leads to ${address}, which is not a public address. Should that be meant, name the address too, with capabilities: ["${capability}"]`,
    capability,
  )
}

const tooLate = (host: string, timeoutMs: number) =>
  networkFailed('timed_out', `${host} took longer than ${timeoutMs / 1000} s (network.timeout)`, {
    host,
    timeoutMs,
  })
