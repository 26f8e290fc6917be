import { decodeProtectedHeader, errors, jwtVerify } from 'jose'
import type { JWTPayload, JWTVerifyOptions } from 'jose'
import type { Principal } from '#contract/access.ts'
import { line } from '#contract/text.ts'
import { knownScopes } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { openIssuerKeys } from './issuer-keys.ts'

export interface JwtSettings {
  /** Signs and checks HS256. At least 32 bytes: shorter ones can be found by trying. */
  jwtSecret?: string | undefined
  /** An OpenID issuer, whose public keys check everything else. */
  issuer?: string | undefined
  audience?: string | undefined
  /** `jwt` is the secret alone, `oauth2` the issuer alone, `token` neither; by default whatever is set. */
  provider?: 'token' | 'jwt' | 'oauth2' | undefined
}

export interface JwtVerdict {
  principal: Principal
  expiresAt: Date
}

/** Never throws anything but a Problem: `unauthenticated`, or `issuer_unavailable` when that cannot be known now. */
export type JwtVerifier = (token: string) => Promise<JwtVerdict>

// The secret checks HS256 and nothing else; an issuer's public key never checks HS256. That a token chooses its own
// algorithm is harmless then: no choice makes us take a public key for a shared secret, and `none` is not on the list.
const withSecret = ['HS256']
const withPublicKey = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

// Other signed things of the same issuer (logout tokens, proofs of possession) are not meant to open doors.
const tokenTypes = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt', 'application/jwt'])

const Subject = line(200)
const Name = line(100)
const endOfTime = Date.UTC(9999, 11, 31) / 1000

export function openJwtVerifier(settings: JwtSettings, now: () => number = Date.now): JwtVerifier {
  const { audience, provider } = settings
  const issuer = provider === 'token' || provider === 'jwt' ? undefined : settings.issuer
  const jwtSecret = provider === 'token' || provider === 'oauth2' ? undefined : settings.jwtSecret
  const secret = jwtSecret === undefined ? undefined : new TextEncoder().encode(jwtSecret)
  if (secret && secret.length < 32) throw new Error('A JWT secret must have at least 32 bytes')
  if (issuer && !audience)
    throw new Error('An issuer needs an audience: its tokens for other programs open nothing here')
  const issuerKeys = issuer && openIssuerKeys(issuer, now)

  return async (token) => {
    try {
      const header = decodeProtectedHeader(token)
      if (!tokenTypes.has(header.typ?.toLowerCase())) throw invalid()
      const options: JWTVerifyOptions = {
        ...(issuer && { issuer }),
        ...(audience && { audience }),
        currentDate: new Date(now()),
        clockTolerance: 5, // for `nbf`, because no two clocks agree; `exp` is held to the second below
      }
      const { payload } =
        secret && header.alg === 'HS256'
          ? await jwtVerify(token, secret, { ...options, algorithms: withSecret })
          : issuerKeys
            ? await jwtVerify(token, issuerKeys, { ...options, algorithms: withPublicKey })
            : refuse()
      // jose looks at `aud` only when we ask for one. A token that names an audience was not made for just anyone.
      if (!audience && payload.aud !== undefined) throw invalid()
      return verdict(payload, now())
    } catch (error) {
      if (error instanceof Problem) throw error
      throw error instanceof errors.JWTExpired ? expired() : invalid()
    }
  }
}

function verdict(payload: JWTPayload, now: number): JwtVerdict {
  const { sub, exp } = payload
  // `line` trims what people type; a subject that needs it would be taken for another one.
  if (typeof sub !== 'string' || Subject.safeParse(sub).data !== sub || exp === undefined) throw invalid()
  if (exp * 1000 <= now) throw expired()
  return {
    principal: { id: `jwt:${sub}`, kind: 'user', name: nameOf(payload) ?? sub, scopes: scopesOf(payload) },
    expiresAt: new Date(Math.min(exp, endOfTime) * 1000),
  }
}

const nameOf = (payload: JWTPayload): string | undefined =>
  Name.safeParse(payload['name']).data ?? Name.safeParse(payload['preferred_username']).data

/** `scope` as OAuth writes it, `scp` and `scopes` as others do. No claim, no scopes. */
function scopesOf(payload: JWTPayload) {
  const claims = [payload['scope'], payload['scp'], payload['scopes']]
  return knownScopes(
    claims.flatMap((claim) =>
      typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [],
    ),
  )
}

// One sentence for every flaw: which check failed would only help whoever is forging one.
const invalid = () => new Problem('unauthenticated', 'The token is not valid')
const expired = () => new Problem('unauthenticated', 'The token has expired')
function refuse(): never {
  throw invalid()
}
