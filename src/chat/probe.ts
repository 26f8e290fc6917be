import type { AvailableModel, AvailableModels, CheckedModels, CheckedProvider } from '#contract/model.ts'
import { askProvider } from './ask-provider.ts'
import type { Asked } from './ask-provider.ts'
import { isVariantOf, knownFacts } from './catalogue.ts'
import type { ListedModel } from './list-models.ts'
import { ModelUnavailable } from './port.ts'
import { shownAddress } from './provider-refusal.ts'
import { addressOf, checkAccess, chooseModel, hasAccess, providers, variablesOf } from './providers.ts'
import type { ModelSettings } from './providers.ts'

export interface Probes {
  available(isFresh: boolean): Promise<AvailableModels>
  check(isFresh: boolean): Promise<CheckedModels>
}

interface Limits {
  patienceMs: number
  /** How long an answer counts, and one in which somebody is missing. */
  keptMs: number
  keptWhileMissingMs: number
  /** However often somebody wants to know it anew. */
  leastMs: number
}

const usual: Limits = { patienceMs: 5_000, keptMs: 60_000, keptWhileMissingMs: 10_000, leastMs: 2_000 }

interface Round {
  at: number
  /** Whom it was about: with another key or address it counts no more. */
  access: string
  asked: Asked[]
}

/** Asks the providers which models they have, all at once, and not more often than it is worth. */
export function openProbes(settings: () => ModelSettings, limits: Limits = usual): Probes {
  let last: Round | undefined
  let under: { access: string; round: Promise<Round> } | undefined

  function latest(isFresh: boolean): Promise<Round> {
    const now = settings()
    const access = JSON.stringify(providers.map((one) => now[one]))
    if (last?.access === access && Date.now() - last.at < (isFresh ? limits.leastMs : keptMs(last)))
      return Promise.resolve(last)
    if (under?.access === access) return under.round
    const round = askAll(now, access)
    const mine = (under = { access, round })
    return round.finally(() => {
      if (under === mine) under = undefined
    })
  }

  async function askAll(now: ModelSettings, access: string): Promise<Round> {
    const asked = await Promise.all(providers.map((one) => askProvider(now, one, limits.patienceMs)))
    return (last = { at: Date.now(), access, asked })
  }

  const keptMs = ({ asked }: Round): number =>
    asked.every(({ status }) => status === 'available' || status === 'unconfigured')
      ? limits.keptMs
      : limits.keptWhileMissingMs

  return {
    async available(isFresh) {
      const { at, asked } = await latest(isFresh)
      const standing = defaultOf(settings())
      const models = asked.flatMap((one) => modelsOf(one, standing.name))
      return { models, default: standing.name, ...ageOf(at) }
    },
    async check(isFresh) {
      const { at, asked } = await latest(isFresh)
      const now = settings()
      const { name, reason } = defaultOf(now)
      return {
        providers: asked.map((one) => checkedOf(now, one)),
        default: name,
        reason: reason ?? unlisted(asked, name),
        ...ageOf(at),
      }
    },
  }
}

const ageOf = (at: number) => ({
  checkedAt: new Date(at).toISOString(),
  ageMs: Math.max(0, Date.now() - at),
})

function defaultOf(settings: ModelSettings): { name: string | null; reason: string | null } {
  try {
    const { provider, model } = chooseModel(settings)
    checkAccess(settings, provider)
    return { name: `${provider}/${model}`, reason: null }
  } catch (error) {
    if (error instanceof ModelUnavailable) return { name: null, reason: error.message }
    throw error
  }
}

/** Why the default may not be there although its provider is. */
function unlisted(asked: readonly Asked[], standing: string | null): string | null {
  const one = asked.find(({ provider }) => standing?.startsWith(`${provider}/`))
  if (one?.status !== 'available' || one.models.length === 0) return null
  if (modelsOf(one, standing).some(({ isDefault }) => isDefault)) return null
  const model = standing?.slice(one.provider.length + 1)
  return `${one.provider} does not list ${model}: check LLM_MODEL, unless you know better`
}

/** The default first where it is one of them. Under a shorter name than it is listed by it is there as well. */
function modelsOf({ provider, status, models }: Asked, standing: string | null): AvailableModel[] {
  if (status !== 'available') return []
  const wanted = standing?.startsWith(`${provider}/`) ? standing.slice(provider.length + 1) : undefined
  const listed = models.find(({ model }) => model === wanted)
  const longer = wanted && !listed && models.find(({ model }) => isVariantOf(wanted, model))
  const all = longer ? [{ ...longer, model: wanted }, ...models] : models
  return all
    .map((one) => available(provider, one, one.model === wanted))
    .toSorted(
      (one, other) => Number(other.isDefault) - Number(one.isDefault) || compare(one.model, other.model),
    )
}

const { compare } = new Intl.Collator('en', { numeric: true })

function available(provider: Asked['provider'], listed: ListedModel, isDefault: boolean): AvailableModel {
  const { model } = listed
  const facts = knownFacts(provider, model)
  return {
    name: `${provider}/${model}`,
    provider,
    model,
    isDefault,
    contextWindow: facts?.window ?? listed.window,
    maxOutputTokens: facts?.maxOutput ?? listed.maxOutput,
    seesImages: facts?.seesImages ?? provider !== 'compatible',
    price: facts?.price ? { input: facts.price.input, output: facts.price.output } : null,
  }
}

function checkedOf(settings: ModelSettings, asked: Asked): CheckedProvider {
  const { provider, status, reason, models, latencyMs } = asked
  return {
    provider,
    status,
    reason,
    variables: [...variablesOf[provider]],
    keySource: null,
    baseUrl: hasAccess(settings, provider) ? shownAddress(addressOf(settings, provider)) : null,
    models: models.length,
    model: standingModel(settings, provider),
    latencyMs,
  }
}

function standingModel(settings: ModelSettings, provider: Asked['provider']): string | null {
  try {
    return chooseModel(settings, provider).model
  } catch {
    return null
  }
}
