import { z } from 'zod'
import type { ModelProvider } from '#contract/settings.ts'

/** A model as its provider lists it. */
export interface ListedModel {
  model: string
  window: number | null
  maxOutput: number | null
}

/** How to ask a provider for a page of its models, and how to read it. */
export interface Listing {
  headers(apiKey: string | undefined): Record<string, string>
  path(after: string | undefined): string
  /** Undefined when it is no such page. */
  read(page: unknown): { models: ListedModel[]; next: string | undefined } | undefined
  /** What is posted nothing to when there is no list: whoever is let in is told that something is missing, and pays nothing. */
  talk: string
}

const tokens = z.number().int().positive().optional().catch(undefined)

const Anthropic = z.object({
  data: z.array(z.object({ id: z.string(), max_input_tokens: tokens, max_tokens: tokens })),
  has_more: z.boolean().optional(),
  last_id: z.string().nullable().optional(),
})

/** Of the endpoints that speak as OpenAI does, some tell more than it does, each by a name of its own. */
const OpenAi = z.object({
  data: z.array(
    z.object({ id: z.string(), context_length: tokens, max_model_len: tokens, context_window: tokens }),
  ),
})

const Google = z.object({
  models: z.array(
    z.object({
      name: z.string(),
      supportedGenerationMethods: z.array(z.string()).optional(),
      inputTokenLimit: tokens,
      outputTokenLimit: tokens,
    }),
  ),
  nextPageToken: z.string().optional(),
})

const bearer = (apiKey: string | undefined): Record<string, string> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }

const asOpenAi = (talk: string): Listing => ({
  headers: bearer,
  path: () => '/models',
  talk,
  read(page) {
    const { data } = OpenAi.safeParse(page)
    return (
      data && {
        models: data.data.map(({ id, context_length, max_model_len, context_window }) => ({
          model: id,
          window: context_length ?? max_model_len ?? context_window ?? null,
          maxOutput: null,
        })),
        next: undefined,
      }
    )
  },
})

export const listings: Record<ModelProvider, Listing> = {
  anthropic: {
    headers: (apiKey = '') => ({ 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }),
    path: (after) => `/models?limit=1000${after ? `&after_id=${encodeURIComponent(after)}` : ''}`,
    talk: '/messages',
    read(page) {
      const { data } = Anthropic.safeParse(page)
      return (
        data && {
          models: data.data.map(({ id, max_input_tokens, max_tokens }) => ({
            model: id,
            window: max_input_tokens ?? null,
            maxOutput: max_tokens ?? null,
          })),
          next: data.has_more ? (data.last_id ?? undefined) : undefined,
        }
      )
    },
  },
  openai: asOpenAi('/responses'),
  google: {
    headers: (apiKey = '') => ({ 'x-goog-api-key': apiKey }),
    path: (after) => `/models?pageSize=1000${after ? `&pageToken=${encodeURIComponent(after)}` : ''}`,
    talk: '/models/gemini-2.5-flash:generateContent',
    read(page) {
      const { data } = Google.safeParse(page)
      const talking = data?.models.filter(
        ({ supportedGenerationMethods: can }) => can?.includes('generateContent') ?? true,
      )
      return (
        data && {
          models: (talking ?? []).map(({ name, inputTokenLimit, outputTokenLimit }) => ({
            model: name.replace(/^models\//, ''),
            window: inputTokenLimit ?? null,
            maxOutput: outputTokenLimit ?? null,
          })),
          next: data.nextPageToken || undefined,
        }
      )
    },
  },
  compatible: asOpenAi('/chat/completions'),
}

const otherTrades =
  /embed|whisper|tts|audio|realtime|transcri|speech|dall-e|image|imagen|\bveo\b|sora|moderation|rerank|davinci|babbage|\baqa\b|-instruct-\d{4}$|gpt-3\.5-turbo-instruct|search-preview|search-api|deep-research|computer-use|lyria/i

/** Providers list in one what can be talked to and what draws, listens or compares. */
export const canChat = ({ model }: ListedModel): boolean =>
  /^[\x21-\x7e]{1,150}$/.test(model) && !otherTrades.test(model)
