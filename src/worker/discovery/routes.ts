import { Hono } from 'hono'
import { AskConfirm, AskDescribe } from '#contract/internal.ts'
import type { MachineDiscovery } from './machine-discovery.ts'

/** What web asks about the programs of this machine. */
export function discoveryRoutes(discovery: () => MachineDiscovery): Hono {
  const app = new Hono()
  app.post('/discovery/scan', async (c) => c.json({ data: await discovery().scan() }))
  app.post('/discovery/describe', async (c) => {
    const { id, ...asked } = AskDescribe.parse(await c.req.json())
    return c.json({ data: await discovery().describe(id, asked) })
  })
  app.post('/discovery/confirm', async (c) => {
    const { ids } = AskConfirm.parse(await c.req.json())
    return c.json({ data: await discovery().confirm(ids) })
  })
  return app
}
