import type { IncomingMessage } from 'node:http'
import type { Context, MiddlewareHandler } from 'hono'
import type { Principal } from '#contract/access.ts'
import type { Machine } from '#db/machines.ts'
import { Problem } from '#domain/problem.ts'
import { hopByHop } from '#lib/hop-by-hop.ts'
import { readWhole } from '#lib/read-whole.ts'
import { authenticate, bearerToken, requireOneScope, requireScope } from './auth.ts'
import { openHolds } from './held-open.ts'
import type { Held } from './held-open.ts'
import { internalToken } from './internal-token.ts'
import { livingMachine, machineForMcp } from './mcp-machine.ts'
import { silent } from './owning-worker.ts'
import { jsonBody } from './request-body.ts'
import { newRoom } from './room.ts'
import type { Env, Parts } from './room.ts'
import { sendTo } from './worker-line.ts'

const longestBody = 4 * 1024 * 1024
const longestAnswer = 64 * 1024 * 1024
const agentTokens = 'sbagent_'
const passedOn = /^(?:accept|content-type|last-event-id|mcp-.+)$/

/** `/mcp` and `/mcp/raw/:source`: we say who asks, and the worker that has the tools answers. */
export function mcpRoutes(parts: Parts) {
  const room = newRoom()
  const hold = openHolds(parts)
  const lookedFor: LookedFor = new WeakMap()
  const forward = async (c: Context<Env>, source?: string) => {
    const held = hold({ token: bearerToken(c), principal: c.get('principal'), until: c.get('until') })
    try {
      const machine = await machineForMcp(parts, c.get('principal'), source, lookedFor.get(c))
      return await passOn(parts, c, machine, held)
    } catch (error) {
      held.release()
      throw error
    }
  }
  room.use('/mcp', lookAhead(parts, lookedFor))
  room.use('/mcp/*', letIn(parts), jsonBody(longestBody))
  // Whoever has the scope for the board alone gets its tools alone.
  room.all('/mcp', requireOneScope('tools', 'board'), (c) => forward(c))
  room.all('/mcp/raw/:source', requireScope('tools'), (c) => forward(c, c.req.param('source')))
  // Where clients look for an issuer after a 401. There is none, and they should not take the page for an answer.
  room.all('/.well-known/*', () => {
    throw new Problem('not_found', noIssuer)
  })
  return room
}

async function passOn(parts: Parts, c: Context<Env>, machine: Machine, held: Held): Promise<Response> {
  const principal = c.get('principal')
  const { pathname, search } = new URL(c.req.url)
  const question = {
    method: c.req.method,
    path: pathname + search,
    headers: { ...headersOf(c.req.raw.headers), 'x-signalbox-principal': packed(principal) },
    body: await c.req.text(),
  }
  const token = await internalToken(parts.pool.db, machine.id)
  const over = AbortSignal.any([c.req.raw.signal, held.ended])
  const answer = await sendTo(machine.url, token, question, over).catch((error: unknown) => {
    throw silent(machine, error)
  })
  const headers = new Headers()
  for (const [name, value] of Object.entries(answer.headers))
    if (typeof value === 'string' && !hopByHop.has(name)) headers.set(name, value)
  const { status } = answer
  if (answer.headers['content-type']?.startsWith('text/event-stream')) {
    // What was revoked while we asked was heard of by nobody.
    void held.check()
    const told = (error: unknown) => {
      held.release()
      if (error instanceof Error && !over.aborted)
        c.get('log').warn(
          { machine: machine.name, reason: error.message },
          'a worker broke off an MCP stream',
        )
    }
    return new Response(streamOf(answer.body, told), { status, headers })
  }
  const whole = await readWhole(answer.body, longestAnswer).catch((error: unknown) => {
    throw silent(machine, error)
  })
  held.release()
  return new Response(status === 204 || status === 304 ? null : whole, { status, headers })
}

/** Its bytes. They just end when it breaks off: a client of MCP comes back then, and resumes. */
function streamOf(body: IncomingMessage, over: (error?: unknown) => void): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let isLeft = false
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await pieces.next()
        if (!done) return controller.enqueue(value)
        over()
      } catch (error) {
        if (isLeft) return
        over(error)
      }
      controller.close()
    },
    cancel() {
      isLeft = true
      over()
      body.destroy()
    },
  })
}

/** What MCP needs of a client's headers. Nobody but us says who asks. */
const headersOf = (headers: Headers): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => passedOn.test(name)))

const packed = (principal: Principal): string =>
  Buffer.from(JSON.stringify(principal), 'utf8').toString('base64url')

const noIssuer =
  'Signalbox is no OAuth server and names none: MCP clients send a token of its own, as the header Authorization: Bearer TOKEN'

type LookedFor = WeakMap<Context<Env>, Promise<Machine | undefined>>

/** Who asks and who answers are found out at the same time, where the one does not hang on the other: an agent's tools are elsewhere. */
function lookAhead(parts: Parts, lookedFor: LookedFor): MiddlewareHandler<Env> {
  return async (c, next) => {
    const given = c.req.header('authorization')
    if (given && !given.includes(agentTokens)) {
      const looking = livingMachine(parts)
      looking.catch(() => {}) // heard of by whoever is let in
      lookedFor.set(c, looking)
    }
    await next()
  }
}

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
