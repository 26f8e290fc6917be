import { serve } from '@hono/node-server'
import type { ServerType } from '@hono/node-server'
import { Hono } from 'hono'
import { once } from 'node:events'
import { Problem } from '#domain/problem.ts'
import { statusOf } from '#http/problems.ts'
import type { Env } from '#http/room.ts'

/** A Hono app with nothing but answers for problems: a guard under test is the only thing in it. */
export function bareApp(): Hono<Env> {
  const app = new Hono<Env>()
  app.onError((error, c) => {
    if (!(error instanceof Problem)) throw error
    const { code, message, context } = error
    return c.json({ error: { code, message, context } }, statusOf[code])
  })
  return app
}

export interface Served {
  port: number
  url: string
  close(): Promise<void>
}

/** Serves an app on a real socket, at a port of the system's choice. */
export async function serveApp(app: Hono<Env>, hostname = '127.0.0.1'): Promise<Served> {
  const server: ServerType = serve({ fetch: app.fetch, port: 0, hostname })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    port,
    url: `http://${hostname}:${port}`,
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
