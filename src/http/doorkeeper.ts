import type { Principal } from '#contract/access.ts'
import type { Database } from '#db/pool.ts'
import { takeTicket } from '#db/tickets.ts'
import { extendSessionKey, findToken } from '#db/tokens.ts'
import type { FoundToken } from '#db/tokens.ts'
import {
  asAgentPrincipal,
  asPrincipal,
  knownScopes,
  owner,
  sessionKeyExtendBelowMs,
  sessionKeyLifeMs,
} from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import { hashSecret, sameHash } from '#lib/secret.ts'
import { openFailures } from './failures.ts'
import type { Failures } from './failures.ts'
import { openJwtVerifier } from './jwt.ts'
import type { JwtSettings } from './jwt.ts'

/** What somebody came in with. */
export type Credential =
  | { kind: 'token'; principal: Principal; tokenId: string }
  | { kind: 'session'; principal: Principal; tokenId: string; expiresAt: Date }
  | { kind: 'jwt'; principal: Principal; expiresAt: Date }

/** Says who comes in. Both reject with the problem `unauthenticated` for whoever does not. */
export interface Doorkeeper {
  admit(token: string): Promise<Credential>
  /** A ticket opens once. */
  admitByTicket(ticket: string): Promise<Principal>
  failures: Failures
}

/** Longer than any token that a sane issuer makes. */
const longestToken = 8192

/**
 * Asks the database about every token, so that a deleted user, a rotated token and a logged-out key are refused at the
 * very next request, on every machine.
 */
export function openDoorkeeper(db: Database, auth: JwtSettings, failures = openFailures()): Doorkeeper {
  const verifyJwt = openJwtVerifier(auth)

  async function admit(token: string): Promise<Credential> {
    if (token.length > longestToken) throw unknown()
    if (token.split('.', 4).length === 3) return { kind: 'jwt', ...(await verifyJwt(token)) }
    const hash = hashSecret(token)
    const found = await findToken(db, hash)
    if (!found || !sameHash(found.hash, hash)) throw unknown()
    if (found.expired) throw new Problem('unauthenticated', 'The session key has expired. Log in again')
    const { id: tokenId, kind, expiresAt } = found
    const principal = principalOf(found)
    if (!principal) throw unknown()
    if (kind !== 'session' || !expiresAt) return { kind: 'token', principal, tokenId }
    const extended =
      expiresAt.getTime() - Date.now() < sessionKeyExtendBelowMs &&
      (await extendSessionKey(db, tokenId, sessionKeyLifeMs, sessionKeyExtendBelowMs))
    return { kind: 'session', principal, tokenId, expiresAt: extended || expiresAt }
  }

  async function admitByTicket(ticket: string): Promise<Principal> {
    const principal = ticket.length <= longestToken && (await takeTicket(db, hashSecret(ticket)))
    if (!principal)
      throw new Problem('unauthenticated', 'The ticket is used, expired or unknown. Ask for a new one')
    return principal
  }

  return { admit, admitByTicket, failures }
}

function principalOf({ speaksFor, user, agent }: FoundToken): Principal | null {
  if (speaksFor === 'owner') return owner
  if (speaksFor === 'agent') return agent && asAgentPrincipal(agent)
  return user && asPrincipal({ ...user, scopes: knownScopes(user.scopes) })
}

const unknown = () => new Problem('unauthenticated', 'The token is not known')
