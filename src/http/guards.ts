import type { Context, MiddlewareHandler } from 'hono'
import type { Config } from '#config/config.ts'
import type { LiveTerminals } from '#db/live-terminals.ts'
import { Problem } from '#domain/problem.ts'
import { ownAddress } from './own-address.ts'
import { isApiPath, isCallback, tellBrowser } from './response-headers.ts'
import type { Env } from './room.ts'
import { socketOf } from './socket.ts'
import { terminalSources } from './terminal-sources.ts'

export type GuardSettings = Pick<Config, 'host' | 'port' | 'publicUrl' | 'cors'>

interface GuardParts {
  settings: { current(): GuardSettings }
  /** Pages may open sockets to these. */
  terminals?: Pick<LiveTerminals, 'current'>
  machineId?: string
}

/** What a browser says of a request by itself, which no page can change. */
export interface Asked {
  method: string
  path: string
  host: string | undefined
  origin: string | undefined
  fetchSite: string | undefined
  fetchMode: string | undefined
}

/** The first door: is it us who is called, and does the caller's page have a right to? Tokens are looked at later. */
export function guards({ settings, terminals, machineId }: GuardParts): MiddlewareHandler<Env> {
  return async (c, next) => {
    const now = settings.current()
    // The port that was really opened, also where the system chose it.
    const port = socketOf(c)?.localPort ?? now.port
    try {
      checkCaller(asked(c), { ...now, port })
      if (isPreflight(c)) c.res = new Response(null, { status: 204, headers: preflightAnswer })
      else await next()
    } finally {
      const sockets = terminalSources(terminals?.current() ?? [], machineId, c.req.header('host'))
      tellBrowser(c.res.headers, c.req.path, now.publicUrl, sockets)
      tellOrigin(c.res.headers, c.req.header('origin'), now.cors)
    }
  }
}

/** Throws unless the names in the request are ours. For sockets too, which do not pass through the app. */
export function checkCaller(asked: Asked, settings: GuardSettings): void {
  const own = ownAddress(settings)
  const { method, path, host, origin, fetchSite, fetchMode } = asked
  if (!host || !own.hosts.has(host.toLowerCase()))
    throw new Problem(
      'host_not_allowed',
      'Signalbox is not to be called by this name. If it should be, set PUBLIC_URL',
    )
  if (origin !== undefined && (own.origins.has(origin) || allowsOrigin(settings.cors, origin))) return
  if (origin !== undefined)
    throw new Problem(
      'origin_not_allowed',
      'Pages of this origin may not call Signalbox. Allow it in server.cors',
    )
  // A page elsewhere can make a browser ask without naming itself: with an image, a script or a link. Links to our own
  // pages are fine. `same-site` is no friend: every port of localhost is one site.
  const elsewhere = fetchSite !== undefined && fetchSite !== 'same-origin' && fetchSite !== 'none'
  const leadsToPage = !isApiPath(path) || isCallback(path)
  const followedLink = fetchMode === 'navigate' && method === 'GET' && leadsToPage
  if (elsewhere && !followedLink)
    throw new Problem(
      'origin_not_allowed',
      'Other pages may not call Signalbox. Allow their origin in server.cors',
    )
}

function asked(c: Context<Env>): Asked {
  const header = (name: string) => c.req.header(name)
  return {
    method: c.req.method,
    path: c.req.path,
    host: header('host'),
    origin: header('origin'),
    fetchSite: header('sec-fetch-site'),
    fetchMode: header('sec-fetch-mode'),
  }
}

/** Each origin by its name: the configuration takes no `*`, and here it would be a name as any other. */
const allowsOrigin = (cors: Config['cors'], origin: string): boolean =>
  cors.enabled && cors.origins.includes(origin)

const isPreflight = (c: Context<Env>): boolean =>
  c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined

export const preflightAnswer = {
  'Access-Control-Allow-Methods': 'GET, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, Last-Event-ID, X-Request-Id, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name',
  'Access-Control-Max-Age': '600',
}

/** Lets a page that is allowed read the answer, errors too. Never with credentials: there are none. */
export function tellOrigin(headers: Headers, origin: string | undefined, cors: Config['cors']): void {
  if (!cors.enabled) return
  headers.append('Vary', 'Origin')
  if (origin === undefined || !allowsOrigin(cors, origin)) return
  headers.set('Access-Control-Allow-Origin', origin)
  headers.set('Access-Control-Expose-Headers', 'X-Request-Id, Retry-After, Mcp-Session-Id')
}
