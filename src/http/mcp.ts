import { Readable } from 'node:stream'
import type { Context, MiddlewareHandler } from 'hono'
import type { Principal } from '#contract/access.ts'
import { Problem } from '#domain/problem.ts'
import { hopByHop } from '#lib/hop-by-hop.ts'
import { authenticate, requireOneScope, requireScope } from './auth.ts'
import { internalToken } from './internal-token.ts'
import { machineForMcp } from './mcp-machine.ts'
import { silent } from './owning-worker.ts'
import { jsonBody } from './request-body.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'
import { sendTo } from './worker-line.ts'

const longestBody = 4 * 1024 * 1024
const passedOn = /^(?:accept|content-type|last-event-id|mcp-.+)$/

/** `/mcp` and `/mcp/raw/:source`: we say who asks, and the worker that has the tools answers. */
export function mcpRoutes(parts: Parts) {
  const room = newRoom()
  room.use('/mcp/*', letIn(parts), jsonBody(longestBody))
  // Whoever has the scope for the board alone gets its tools alone.
  room.all('/mcp', requireOneScope('tools', 'board'), (c) => forward(parts, c, undefined))
  room.all('/mcp/raw/:source', requireScope('tools'), (c) => forward(parts, c, c.req.param('source')))
  // Where clients look for an issuer after a 401. There is none, and they should not take the page for an answer.
  room.all('/.well-known/*', () => {
    throw new Problem('not_found', noIssuer)
  })
  return room
}

async function forward(parts: Parts, c: Context<Env>, source: string | undefined): Promise<Response> {
  const principal = c.get('principal')
  const machine = await machineForMcp(parts, principal, source)
  const { pathname, search } = new URL(c.req.url)
  const question = {
    method: c.req.method,
    path: pathname + search,
    headers: { ...headersOf(c.req.raw.headers), 'x-signalbox-principal': packed(principal) },
    body: c.req.raw.body ? await c.req.text() : '',
  }
  const token = await internalToken(parts.pool.db, machine.id)
  const answer = await sendTo(machine.url, token, question, c.req.raw.signal).catch((error: unknown) => {
    throw silent(machine, error)
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    if (typeof value === 'string' && !hopByHop.has(name)) headers.set(name, value)
  const isEmpty = answer.status === 204 || answer.status === 304
  if (isEmpty) answer.body.resume()
  const body = isEmpty ? null : (Readable.toWeb(answer.body) as ReadableStream)
  return new Response(body, { status: answer.status, headers })
}

/** What MCP needs of a client's headers. Nobody but us says who asks. */
const headersOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => passedOn.test(name)))

const packed = (principal: Principal): string =>
  Buffer.from(JSON.stringify(principal), 'utf8').toString('base64url')

const noIssuer =
  'Signalbox is no OAuth server and names none: MCP clients send a token of its own, as the header Authorization: Bearer TOKEN'

/** Clients of MCP would look for a login that is not there. */
function letIn(parts: Parts): MiddlewareHandler<Env> {
  const byToken = authenticate(parts)
  return async (c, next) => {
    try {
      await byToken(c, next)
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'unauthenticated') throw error
      throw new Problem('unauthenticated', `${error.message}. ${noIssuer}`)
    }
  }
}
