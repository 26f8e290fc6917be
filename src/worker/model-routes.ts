import { Hono } from 'hono'
import { ModelUnavailable } from '#chat/port.ts'
import type { Chat } from '#chat/port.ts'
import { AskChoice, AskModels } from '#contract/internal.ts'
import type { ChosenModel } from '#contract/internal.ts'
import { Problem } from '#domain/problem.ts'

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
  app.post('/models/choose', async (c) => {
    const { model } = AskChoice.parse(await c.req.json())
    return c.json({ data: chosen(await chat(), model) satisfies ChosenModel })
  })
  return app
}

function chosen(chat: Chat, model: string | null): ChosenModel {
  try {
    return chat.choose(model)
  } catch (error) {
    if (!(error instanceof ModelUnavailable)) throw error
    throw new Problem('model_unavailable', error.message, { variables: error.variables })
  }
}
