import { createLocalJWKSet, errors } from 'jose'
import type { JWTVerifyGetKey, LocalJWKSet } from 'jose'
import { z } from 'zod'
import { Problem } from '#domain/problem.ts'

const Discovery = z.object({ issuer: z.string(), jwks_uri: z.url({ protocol: /^https?$/ }) })
const KeySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) })

const fresh = 10 * 60_000
/** Keys that the issuer cannot be asked about any more are still believed for this long. */
const stale = 60 * 60_000
/** After an attempt to fetch, right or wrong, unknown keys wait this long: a forger must not make us call the issuer. */
const cooldown = 30_000

/** The public keys of an OpenID issuer: found by discovery, kept, and asked for again when a token names a new one. */
export function openIssuerKeys(issuer: string, now: () => number = Date.now): JWTVerifyGetKey {
  let keys: LocalJWKSet | undefined
  let fetchedAt = -Infinity
  let triedAt = -Infinity
  let failure: string | undefined
  let pending: Promise<void> | undefined

  async function fetchNow(): Promise<void> {
    try {
      keys = createLocalJWKSet(await fetchKeys(issuer))
      fetchedAt = now()
      failure = undefined
    } catch (error) {
      failure = error instanceof Error ? error.message : String(error)
    }
    triedAt = now()
    pending = undefined
  }

  /** Everyone who waits, waits for the same request. */
  const refresh = (): Promise<void> => (pending ??= fetchNow())

  return async (header, token) => {
    const mayTry = () => now() - triedAt >= cooldown
    if (now() - fetchedAt > fresh && mayTry()) await refresh()
    if (!keys || now() - fetchedAt > stale) throw away(issuer, failure)
    try {
      return await keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      if (mayTry()) await refresh()
      if (failure) throw away(issuer, failure)
      return keys(header, token)
    }
  }
}

const away = (issuer: string, failure: string | undefined) =>
  new Problem(
    'issuer_unavailable',
    `The token cannot be checked, because the identity provider ${issuer} does not give its keys`,
    { missing: 'identity provider', issuer, ...(failure && { reason: failure }) },
  )

async function fetchKeys(issuer: string): Promise<z.infer<typeof KeySet>> {
  const discovery = await get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, Discovery)
  checkDiscovery(issuer, discovery)
  return get(discovery.jwks_uri, KeySet)
}

/** Whoever can answer at an issuer's address must not vouch for another one, nor have its keys changed on the way. */
export function checkDiscovery(issuer: string, discovery: z.infer<typeof Discovery>): void {
  if (discovery.issuer !== issuer) throw new Error('its configuration is that of another issuer')
  if (issuer.startsWith('https:') && !discovery.jwks_uri.startsWith('https:'))
    throw new Error('it offers its keys over plain http')
}

async function get<Shape extends z.ZodType>(url: string, shape: Shape): Promise<z.infer<Shape>> {
  const answer = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(5_000),
    headers: { accept: 'application/json' },
  }).catch(() => {
    throw new Error('it does not answer')
  })
  if (!answer.ok) throw new Error(`it answers with status ${answer.status}`)
  const parsed = shape.safeParse(await answer.json().catch(() => undefined))
  if (!parsed.success) throw new Error('its answer is not what OpenID Connect asks for')
  return parsed.data
}
