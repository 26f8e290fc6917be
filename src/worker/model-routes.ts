import { Hono } from 'hono'
import type { Chat } from '#chat/port.ts'
import { AskModels } from '#contract/internal.ts'

/** What web asks of the models that this machine has keys for. */
export function modelRoutes(chat: () => Promise<Chat>): Hono {
  const app = new Hono()
  app.post('/models/available', async (c) => {
    const { isFresh } = AskModels.parse(await c.req.json())
    return c.json({ data: await (await chat()).available(isFresh) })
  })
  app.post('/models/check', async (c) => {
    const { isFresh } = AskModels.parse(await c.req.json())
    return c.json({ data: await (await chat()).check(isFresh) })
  })
  return app
}
