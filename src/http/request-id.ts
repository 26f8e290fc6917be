import type { Context, MiddlewareHandler } from 'hono'
import { newId } from '#lib/id.ts'
import type { Env, Parts } from './room.ts'

const acceptable = /^[\w.:-]{1,128}$/

/** Gives every request a name that is echoed, stands in every log line and in every error. */
export function named({ log }: Pick<Parts, 'log'>): MiddlewareHandler<Env> {
  return async (c, next) => {
    const given = c.req.header('x-request-id')
    const requestId = given && acceptable.test(given) ? given : newId()
    const started = performance.now()
    c.set('requestId', requestId)
    c.set('log', log.child({ requestId }))
    c.header('X-Request-Id', requestId)
    await next()
    c.res.headers.set('X-Request-Id', requestId)
    // The path without its query, where tickets travel.
    const line = {
      method: c.req.method,
      path: c.req.path,
      status: c.res.status,
      ms: Math.round(performance.now() - started),
    }
    c.get('log')[isWorthTelling(c) ? 'info' : 'debug'](line, 'request')
  }
}

/** What changes something, and what did not work; looking at things would drown it. */
const isWorthTelling = (c: Context<Env>): boolean =>
  c.res.status >= 400 || !['GET', 'HEAD', 'OPTIONS'].includes(c.req.method)
