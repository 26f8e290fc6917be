import { Hono } from 'hono'
import { ModelUnavailable } from '#chat/port.ts'
import type { Chat } from '#chat/port.ts'
import type { Config } from '#config/config.ts'
import { AskChoice, AskModels } from '#contract/internal.ts'
import type { ChosenModel } from '#contract/internal.ts'
import type { CheckedModels } from '#contract/model.ts'
import { Problem } from '#domain/problem.ts'

/** What web asks of the models that this machine has keys for. */
export function modelRoutes(chat: () => Promise<Chat>, config: () => Pick<Config, 'sources'>): Hono {
  const app = new Hono()
  app.post('/models/available', async (c) => {
    const { isFresh } = AskModels.parse(await c.req.json())
    return c.json({ data: await (await chat()).available(isFresh) })
  })
  app.post('/models/check', async (c) => {
    const { isFresh } = AskModels.parse(await c.req.json())
    const checked = await (await chat()).check(isFresh)
    const { sources } = config()
    const providers = checked.providers.map((one) => ({
      ...one,
      keySource: sources.get(`models.${one.provider}.apiKey`) ?? null,
    }))
    return c.json({ data: { ...checked, providers } satisfies CheckedModels })
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
