import type { ModelProvider } from '#contract/settings.ts'

/** What is known of a model beforehand. Prices are US dollars for a million tokens. */
export interface ModelFacts {
  /** Tokens that fit in, with what it answers. */
  window: number
  /** The longest answer that it gives. */
  maxOutput: number
  /** Whether it can be shown pictures. */
  seesImages: boolean
  price?: { input: number; output: number; cachedInput?: number; cacheWrite?: number }
}

interface Known extends ModelFacts {
  provider: Exclude<ModelProvider, 'compatible'>
  /** A date or `-latest` may follow in the name of a model. */
  name: string
}

const million = 1_000_000
const claude = (name: string, window: number, maxOutput: number, input: number, output: number): Known => ({
  provider: 'anthropic',
  name,
  window,
  maxOutput,
  seesImages: true,
  price: { input, output, cachedInput: input / 10, cacheWrite: input * 1.25 },
})
const gpt = (
  name: string,
  window: number,
  maxOutput: number,
  input: number,
  cachedInput: number,
  output: number,
): Known => ({
  provider: 'openai',
  name,
  window,
  maxOutput,
  seesImages: true,
  price: { input, output, cachedInput },
})
const blind = (one: Known): Known => ({ ...one, seesImages: false })
const gemini = (
  name: string,
  maxOutput: number,
  input: number,
  cachedInput: number,
  output: number,
): Known => ({
  provider: 'google',
  name,
  window: 1_048_576,
  maxOutput,
  seesImages: true,
  price: { input, output, cachedInput },
})

const known: readonly Known[] = [
  claude('claude-opus-4-6', 200_000, 128_000, 5, 25),
  claude('claude-opus-4-5', 200_000, 64_000, 5, 25),
  claude('claude-opus-4-1', 200_000, 32_000, 15, 75),
  claude('claude-opus-4-20250514', 200_000, 32_000, 15, 75),
  claude('claude-opus-4-0', 200_000, 32_000, 15, 75),
  claude('claude-sonnet-4-6', 200_000, 64_000, 3, 15),
  claude('claude-sonnet-4-5', 200_000, 64_000, 3, 15),
  claude('claude-sonnet-4-20250514', 200_000, 64_000, 3, 15),
  claude('claude-sonnet-4-0', 200_000, 64_000, 3, 15),
  claude('claude-haiku-4-5', 200_000, 64_000, 1, 5),
  claude('claude-3-7-sonnet', 200_000, 64_000, 3, 15),
  claude('claude-3-5-haiku', 200_000, 8_192, 0.8, 4),
  gpt('gpt-5.2-pro', 400_000, 128_000, 21, 21, 168),
  gpt('gpt-5.2', 400_000, 128_000, 1.75, 0.175, 14),
  gpt('gpt-5.1', 400_000, 128_000, 1.25, 0.125, 10),
  gpt('gpt-5-pro', 400_000, 272_000, 15, 15, 120),
  gpt('gpt-5-mini', 400_000, 128_000, 0.25, 0.025, 2),
  gpt('gpt-5-nano', 400_000, 128_000, 0.05, 0.005, 0.4),
  gpt('gpt-5', 400_000, 128_000, 1.25, 0.125, 10),
  gpt('gpt-4.1-mini', 1_047_576, 32_768, 0.4, 0.1, 1.6),
  gpt('gpt-4.1-nano', 1_047_576, 32_768, 0.1, 0.025, 0.4),
  gpt('gpt-4.1', 1_047_576, 32_768, 2, 0.5, 8),
  gpt('gpt-4o-mini', 128_000, 16_384, 0.15, 0.075, 0.6),
  gpt('gpt-4o', 128_000, 16_384, 2.5, 1.25, 10),
  gpt('o4-mini', 200_000, 100_000, 1.1, 0.275, 4.4),
  gpt('o3-pro', 200_000, 100_000, 20, 20, 80),
  gpt('o3', 200_000, 100_000, 2, 0.5, 8),
  gemini('gemini-3-pro-preview', 65_536, 2, 0.2, 12),
  blind(gpt('o3-mini', 200_000, 100_000, 1.1, 0.55, 4.4)),
  blind(gpt('o1-mini', 128_000, 65_536, 1.1, 0.55, 4.4)),
  blind(gpt('gpt-4', 8_192, 8_192, 30, 30, 60)),
  blind(gpt('gpt-4-0613', 8_192, 8_192, 30, 30, 60)),
  blind(gpt('gpt-3.5-turbo', 16_385, 4_096, 0.5, 0.5, 1.5)),
  blind(gpt('gpt-3.5-turbo-0125', 16_385, 4_096, 0.5, 0.5, 1.5)),
  blind(gpt('gpt-3.5-turbo-1106', 16_385, 4_096, 1, 1, 2)),
  gemini('gemini-3-pro', 65_536, 2, 0.2, 12),
  gemini('gemini-2.5-pro', 65_536, 1.25, 0.31, 10),
  gemini('gemini-2.5-flash-lite', 65_536, 0.1, 0.025, 0.4),
  gemini('gemini-2.5-flash', 65_536, 0.3, 0.075, 2.5),
]

/** What we take for granted of a model that nobody has heard of: little, and nothing of its price. */
const unknown: Record<ModelProvider, ModelFacts> = {
  anthropic: { window: 200_000, maxOutput: 32_000, seesImages: true },
  openai: { window: 128_000, maxOutput: 16_384, seesImages: true },
  google: { window: 1_000_000, maxOutput: 65_536, seesImages: true },
  compatible: { window: 32_768, maxOutput: 8_192, seesImages: false },
}

/** The model that answers where nobody has chosen one. A compatible endpoint has to be told. */
export const defaultModel: Record<Exclude<ModelProvider, 'compatible'>, string> = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5-mini',
  google: 'gemini-2.5-flash',
}

export const factsOf = (provider: ModelProvider, model: string): ModelFacts =>
  knownFacts(provider, model) ?? unknown[provider]

/** What stands in the catalogue, and nothing where it does not: a wrong price is worse than none. */
export function knownFacts(provider: ModelProvider, model: string): ModelFacts | undefined {
  const plain = model.split('/').at(-1) ?? model
  const [best] = known
    .filter((one) => one.provider === provider && isVariantOf(one.name, plain))
    .toSorted((one, other) => other.name.length - one.name.length)
  return best
}

/** `gpt-5-2025-08-07` is `gpt-5`; `gpt-5.9` and `gpt-5-codex` are not: they cost and hold what we do not know. */
export const isVariantOf = (name: string, model: string): boolean =>
  model.startsWith(name) && /^([-@:](latest|\d{8}|\d{4}-\d{2}-\d{2}))?$/.test(model.slice(name.length))

/** The names that we know of a provider's models, for lists where the provider itself does not tell. */
export const knownModels = (provider: ModelProvider): string[] =>
  known.filter((one) => one.provider === provider).map(({ name }) => name)

export interface TokensUsed {
  input: number
  output: number
  /** Of the input. */
  cachedInput?: number
  cacheWrite?: number
}

/** Dollars; null where the price is not known. */
export function costOf(facts: ModelFacts, used: TokensUsed): number | null {
  const { price } = facts
  if (!price) return null
  const cached = used.cachedInput ?? 0
  const written = used.cacheWrite ?? 0
  const plain = Math.max(0, used.input - cached - written)
  const dollars =
    plain * price.input +
    cached * (price.cachedInput ?? price.input) +
    written * (price.cacheWrite ?? price.input) +
    used.output * price.output
  return dollars / million
}
