import { Hono } from 'hono'
import { AskAuthorized, AskSource } from '#contract/internal.ts'
import type { Authorizing } from './authorize.ts'

/** What web asks when people let us in at the sources of this machine. */
export function authorizeRoutes(authorizing: () => Promise<Authorizing>): Hono {
  const app = new Hono()
  app.post('/sources/authorize', async (c) => {
    const asked = AskSource.parse(await c.req.json())
    return c.json({ data: await (await authorizing()).authorize(asked) })
  })
  app.post('/sources/authorized', async (c) => {
    const back = AskAuthorized.parse(await c.req.json())
    return c.json({ data: await (await authorizing()).authorized(back) })
  })
  app.post('/sources/revoke', async (c) => {
    const asked = AskSource.parse(await c.req.json())
    await (await authorizing()).revoke(asked)
    return c.json({ data: {} })
  })
  return app
}
