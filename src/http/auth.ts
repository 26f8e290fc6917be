import type { Context, MiddlewareHandler } from 'hono'
import type { Scope } from '#contract/access.ts'
import { checkOneScope, checkOwner, checkScopes } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import type { Doorkeeper } from './doorkeeper.ts'
import { clientAddress } from './failures.ts'
import type { Env } from './room.ts'

export interface AuthParts {
  doorkeeper: Doorkeeper
  settings: { current(): { trustProxy: boolean } }
}

// Cookies are never read: any program on another port of the same host could set and receive them.
// See docs/decisions/0002-no-cookies.md

/** Lets in whoever shows a valid token in the Authorization header, and nobody else. */
export function authenticate(parts: AuthParts): MiddlewareHandler<Env> {
  return async (c, next) => {
    if (!c.get('principal')) {
      const token = bearerToken(c)
      const credential = await admitted(parts, c, parts.doorkeeper.admit(token))
      c.set('principal', credential.principal)
      if (credential.kind !== 'token') c.set('until', credential.expiresAt)
    }
    await next()
  }
}

/**
 * The same for streams and sockets, where a browser cannot send a header: `?ticket=` opens too. Only routes that stand
 * behind this take tickets; it is placed before `authenticate`, which leaves alone whoever came in here.
 */
export function authenticateByTicket(parts: AuthParts): MiddlewareHandler<Env> {
  const byToken = authenticate(parts)
  return async (c, next) => {
    const ticket = c.req.query('ticket')
    if (ticket === undefined || c.req.method !== 'GET') return byToken(c, next)
    c.set('principal', await admitted(parts, c, parts.doorkeeper.admitByTicket(ticket)))
    await next()
  }
}

/** The token of the Authorization header. Its absence is no attempt, and does not count as one. */
export function bearerToken(c: Context<Env>): string {
  const given = c.req.header('authorization')
  if (!given)
    throw new Problem('unauthenticated', 'A token is needed, as the header Authorization: Bearer TOKEN')
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(given)?.[1]
  if (!token) throw new Problem('unauthenticated', 'The Authorization header must be: Bearer TOKEN')
  return token
}

/** Only an attempt that fails can be one too many: a valid token is let in whatever others do at the same address. */
export const admitted = <Who>(parts: AuthParts, c: Context<Env>, attempt: Promise<Who>): Promise<Who> =>
  admittedFrom(parts, clientAddress(c, parts.settings.current().trustProxy), attempt)

/** The same for whoever does not come through the app. */
export async function admittedFrom<Who>(
  parts: Pick<AuthParts, 'doorkeeper'>,
  address: string,
  attempt: Promise<Who>,
): Promise<Who> {
  try {
    return await attempt
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
    const retryAfterSec = parts.doorkeeper.failures.note(address)
    if (retryAfterSec === undefined) throw error
    throw new Problem(
      'too_many_attempts',
      `Too many failed attempts. Wait ${retryAfterSec} s, or use a valid token`,
      { retryAfterSec },
    )
  }
}

/** Lets on whoever has all of these scopes. The owner has every one. */
export function requireScope(...scopes: Scope[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    checkScopes(c.get('principal'), scopes)
    await next()
  }
}

/** Lets on whoever has at least one of these scopes. */
export function requireOneScope(...scopes: Scope[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    checkOneScope(c.get('principal'), scopes)
    await next()
  }
}

/** Lets on the owner alone. No scope stands for it, not even `admin`. */
export const requireOwner: MiddlewareHandler<Env> = async (c, next) => {
  checkOwner(c.get('principal'))
  await next()
}
