import { z } from 'zod'
import { ModelProvider } from './settings.ts'
import { Id, Time } from './text.ts'

/** A model that can be talked to now. */
export const AvailableModel = z.object({
  /** How to ask for it: `anthropic/claude-sonnet-4-5`. */
  name: z.string(),
  provider: ModelProvider,
  model: z.string(),
  /** It is asked when nobody says which. */
  isDefault: z.boolean(),
  /** Tokens; null where nobody knows. */
  contextWindow: z.int().nullable(),
  maxOutputTokens: z.int().nullable(),
  seesImages: z.boolean(),
  /** US dollars for a million tokens; null where nobody knows. */
  price: z.object({ input: z.number(), output: z.number() }).nullable(),
})
export type AvailableModel = z.infer<typeof AvailableModel>

/** How it stands with a provider, and why it cannot be asked if it cannot. */
export const CheckedProvider = z.object({
  provider: ModelProvider,
  status: z.enum(['available', 'unconfigured', 'unauthorized', 'unreachable', 'failed']),
  /** What is wrong and what to do, in a sentence; null when nothing is. */
  reason: z.string().nullable(),
  /** The variables that make it work. */
  variables: z.array(z.string()),
  /** Who gave the key, which itself is never told; null: nobody did. */
  keySource: z.enum(['environment', 'file']).nullable().default(null),
  /** Where it is asked; never with a password. */
  baseUrl: z.string().nullable(),
  models: z.int(),
  /** The one that would be asked, if it were asked without a name; null when there is none. */
  model: z.string().nullable(),
  latencyMs: z.number().nullable(),
})
export type CheckedProvider = z.infer<typeof CheckedProvider>

/** Without a machine: the only one there is, or ours. */
export const ModelsQuery = z.strictObject({
  machineId: Id.optional(),
  /** Asks the providers again, however little time has passed. */
  fresh: z.enum(['1', 'true', '0', 'false']).optional(),
})
export type ModelsQuery = z.infer<typeof ModelsQuery>

/** `GET models/available`. */
export const AvailableModels = z.object({
  models: z.array(AvailableModel),
  default: z.string().nullable(),
  checkedAt: Time,
  /** How old this is; `?fresh=1` asks again. */
  ageMs: z.int(),
})
export type AvailableModels = z.infer<typeof AvailableModels>

/** `GET models/check`. */
export const CheckedModels = z.object({
  providers: z.array(CheckedProvider),
  default: z.string().nullable(),
  /** Why there is no default, or why it may not answer; null when all is well. */
  reason: z.string().nullable(),
  checkedAt: Time,
  ageMs: z.int(),
})
export type CheckedModels = z.infer<typeof CheckedModels>
