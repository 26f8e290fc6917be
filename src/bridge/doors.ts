import type { Context, MiddlewareHandler } from 'hono'
import { Problem } from '#domain/problem.ts'
import { hashSecret, sameHash } from '#lib/secret.ts'

/** Who may call a bridge. */
export interface Admission {
  /** Without one, only this machine can reach us, and the names that it calls us by are checked instead. */
  token: string | undefined
  /** As callers write them into the Host header, and pages into Origin. */
  own: () => { hosts: ReadonlySet<string>; origins: ReadonlySet<string> }
  /** Other pages that may call. */
  origins: readonly string[]
}

const open = new Set(['/', '/health'])

/** Is it us who is called, does the page have a right to, and does the caller know the token? */
export function doors(admission: Admission): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('origin')
    const isAllowedPage = origin !== undefined && admission.origins.includes(origin)
    if (isAllowedPage) tellPage(c, origin)
    if (c.req.method === 'OPTIONS' && isAllowedPage) return c.body(null, 204)
    if (admission.token === undefined) checkNames(c, admission, isAllowedPage)
    else if (!open.has(c.req.path)) checkToken(c, admission.token)
    await next()
    return undefined
  }
}

function tellPage(c: Context, origin: string): void {
  c.header('Access-Control-Allow-Origin', origin)
  c.header('Vary', 'Origin')
  c.header('Access-Control-Allow-Methods', 'GET, POST, DELETE')
  c.header('Access-Control-Allow-Headers', 'Authorization, Content-Type')
  c.header('Access-Control-Expose-Headers', 'x-vercel-ai-ui-message-stream')
}

/** A page elsewhere can lead a browser here, by a name of its own or by ours: neither is a caller we know. */
function checkNames(c: Context, { own }: Admission, isAllowedPage: boolean): void {
  const { hosts, origins } = own()
  const host = c.req.header('host')?.toLowerCase()
  if (host === undefined || !hosts.has(host))
    throw new Problem(
      'host_not_allowed',
      'The bridge is not to be called by this name. Set AGENT_TOKEN to allow any',
    )
  const origin = c.req.header('origin')
  const site = c.req.header('sec-fetch-site')
  const isElsewhere =
    origin === undefined ? site === 'cross-site' || site === 'same-site' : !origins.has(origin)
  if (isElsewhere && !isAllowedPage)
    throw new Problem(
      'origin_not_allowed',
      'Pages of this origin may not call the bridge. Allow it in server.cors',
    )
}

function checkToken(c: Context, token: string): void {
  const given = /^Bearer +([\x21-\x7e]+) *$/i.exec(c.req.header('authorization') ?? '')?.[1]
  if (given !== undefined && sameHash(hashSecret(given), hashSecret(token))) return
  throw new Problem('unauthenticated', 'The token of AGENT_TOKEN is needed, as Authorization: Bearer TOKEN')
}
