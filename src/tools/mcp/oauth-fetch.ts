import type { FetchLike } from '@modelcontextprotocol/client'
import { isLoopback } from '#lib/loopback.ts'
import { readWhole } from '#lib/read-whole.ts'
import { LoginFailed } from './port.ts'

const patienceMs = 10_000
const longestAnswer = 1_048_576

/**
 * Speaks to whoever an upstream says its issuer is. Only over TLS; a server on this machine alone may name others on this machine, so
 * that no upstream elsewhere can make us ask what listens here. Answers are read whole and bounded. Redirects are not followed: the SDK
 * does so itself, within one origin.
 */
export function openOAuthFetch(upstream: string): FetchLike {
  return async (url, init) => {
    checkAddress(url, upstream)
    const patience = AbortSignal.timeout(patienceMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, patience]) : patience
    const response = await fetch(url, { ...init, redirect: 'manual', signal })
    const body = response.body ? await readWhole(response.body, longestAnswer) : null
    const { status, statusText, headers } = response
    return new Response(nullBody.has(status) ? null : body, { status, statusText, headers })
  }
}

/** Throws unless an address that an upstream has told us is one that we or a browser may be sent to. */
export function checkAddress(address: string | URL, upstream: string): URL {
  const url = URL.canParse(String(address)) ? new URL(address) : undefined
  const onThisMachine = url !== undefined && isLoopback(url.hostname)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && onThisMachine)
  if (!url || !isSafe)
    throw new LoginFailed(`It names ${shown(address)}, which is not an https address. Nothing is sent there.`)
  if (onThisMachine && !isLoopback(new URL(upstream).hostname))
    throw new LoginFailed(`It names ${url.origin}, which is this machine itself. Nothing is sent there.`)
  return url
}

const nullBody: ReadonlySet<number> = new Set([101, 204, 205, 304])
const shown = (address: string | URL) => String(address).slice(0, 200)
