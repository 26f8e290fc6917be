import type { LanguageModel } from 'ai'
import type { ModelProvider } from '#contract/settings.ts'
import { defaultModel } from './catalogue.ts'
import { discreet } from './discreet-model.ts'
import { fetchFrom } from './fetch-from.ts'
import { ModelUnavailable } from './port.ts'

/** Who can be asked, as the configuration has it. */
export type ModelSettings = {
  provider?: ModelProvider | undefined
  model?: string | undefined
} & Record<ModelProvider, { apiKey?: string | undefined; baseUrl?: string | undefined }>

export interface ChosenModel {
  provider: ModelProvider
  model: string
}

/** What each cannot be asked without. */
export const keyVariable: Record<ModelProvider, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  compatible: 'COMPATIBLE_BASE_URL',
}

export const keyOf: Record<ModelProvider, string> = { ...keyVariable, compatible: 'COMPATIBLE_API_KEY' }

export const baseUrlOf: Record<ModelProvider, string> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
  google: 'GOOGLE_GENERATIVE_AI_BASE_URL',
  compatible: 'COMPATIBLE_BASE_URL',
}

/** All that makes a provider work, the one that has to be there first. */
export const variablesOf: Record<ModelProvider, readonly string[]> = {
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  google: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_BASE_URL'],
  compatible: ['COMPATIBLE_BASE_URL', 'COMPATIBLE_API_KEY'],
}

const aliases: Record<string, ModelProvider> = { claude: 'anthropic', gemini: 'google' }
export const providers: readonly ModelProvider[] = ['anthropic', 'openai', 'google', 'compatible']

const usualAddress = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com',
  compatible: '',
} satisfies Record<ModelProvider, string>

/** Where it is asked, with its version and without a slash at the end. */
export function addressOf(settings: ModelSettings, provider: ModelProvider): string {
  const address = (settings[provider].baseUrl ?? usualAddress[provider]).replace(/\/+$/, '')
  // In its own variable Anthropic has the address without the version, as its other programs have it.
  if (provider === 'anthropic') return withVersion(address, 'v1')
  return provider === 'google' ? withVersion(address, 'v1beta') : address
}

/** An endpoint that speaks as OpenAI does often wants no key; the others answer nobody without one. */
export const hasAccess = (settings: ModelSettings, provider: ModelProvider): boolean =>
  provider === 'compatible'
    ? settings.compatible.baseUrl !== undefined
    : settings[provider].apiKey !== undefined

/**
 * What is meant by `anthropic`, `gpt-5`, `google/gemini-2.5-pro`, or by nothing: whatever is set, or the first that there is a key for.
 * Throws ModelUnavailable.
 */
export function chooseModel(settings: ModelSettings, wanted?: string): ChosenModel {
  if (!wanted) return standing(settings)
  const { provider, model } = parted(wanted)
  if (provider) return { provider, model: model || modelFor(settings, provider) }
  return { provider: offering(settings, wanted) ?? standing(settings).provider, model: wanted }
}

/** A slash is also in the names of models: only what stands before the first can be a provider. */
function parted(name: string): { provider?: ModelProvider | undefined; model: string } {
  const [first = '', ...rest] = name.split('/')
  const provider = aliases[first] ?? providers.find((one) => one === first)
  return provider ? { provider, model: rest.join('/') } : { model: name }
}

/** Whose model it is by its name; a compatible endpoint may have it too, under the same name. */
function offering(settings: ModelSettings, model: string): ModelProvider | undefined {
  const guessed = guess(model)
  return guessed && !hasAccess(settings, guessed) && hasAccess(settings, 'compatible')
    ? 'compatible'
    : guessed
}

function guess(model: string): ModelProvider | undefined {
  if (model.startsWith('claude-')) return 'anthropic'
  if (model.startsWith('gemini-')) return 'google'
  return /^(gpt-|o\d)/.test(model) ? 'openai' : undefined
}

/** What is asked when nobody says which. */
function standing(settings: ModelSettings): ChosenModel {
  const named = parted(settings.model ?? '')
  if (named.provider) return { provider: named.provider, model: named.model || usualModel(named.provider) }
  const provider =
    settings.provider ??
    (named.model ? offering(settings, named.model) : undefined) ??
    providers.find((one) => hasAccess(settings, one))
  if (provider) return { provider, model: named.model || usualModel(provider) }
  const variables = providers.map((one) => keyVariable[one])
  throw new ModelUnavailable(
    `There is no key for any model. Set one of ${variables.join(', ')}, and start Signalbox again`,
    variables,
  )
}

/** Of this provider: the one that is set, if it is one of its own. */
function modelFor(settings: ModelSettings, provider: ModelProvider): string {
  const meant = settings.model === undefined ? undefined : standing(settings)
  return meant?.provider === provider ? meant.model : usualModel(provider)
}

function usualModel(provider: ModelProvider): string {
  if (provider !== 'compatible') return defaultModel[provider]
  throw new ModelUnavailable(
    'Which model the compatible endpoint should answer with is not said. Set LLM_MODEL, or name it as compatible/NAME',
    ['LLM_MODEL'],
  )
}

/** The model, ready to be asked. What it needs is loaded when it is first needed. Throws ModelUnavailable. */
export async function openModel(
  settings: ModelSettings,
  chosen: ChosenModel,
  patienceMs?: number,
): Promise<LanguageModel> {
  const { provider, model } = chosen
  checkAccess(settings, provider)
  const { apiKey } = settings[provider]
  const options = {
    ...(apiKey !== undefined && { apiKey }),
    baseURL: addressOf(settings, provider),
    fetch: fetchFrom({ provider, apiKey, patienceMs }),
  }
  return discreet(await modelOf(provider, model, options), provider, apiKey)
}

interface Access {
  apiKey?: string
  baseURL: string
  fetch: typeof fetch
}

async function modelOf(provider: ModelProvider, model: string, options: Access) {
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      return createAnthropic(options)(model)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options)(model)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      return createGoogleGenerativeAI(options)(model)
    }
    case 'compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...options, name: 'compatible', includeUsage: true })(model)
    }
  }
}

/** Throws ModelUnavailable unless there is a key, and one that can be sent. */
export function checkAccess(settings: ModelSettings, provider: ModelProvider): void {
  if (!hasAccess(settings, provider)) {
    const variable = keyVariable[provider]
    throw new ModelUnavailable(`${provider} cannot be asked: ${variable} is not set`, [variable])
  }
  const { apiKey = '' } = settings[provider]
  if (/^[\x21-\x7e]*$/.test(apiKey)) return
  // Whoever tried to send it would tell the whole key in their complaint.
  const variable = keyOf[provider]
  throw new ModelUnavailable(
    `${provider} cannot be asked: ${variable} has a space, a line break or a letter in it that no key has`,
    [variable],
  )
}

const withVersion = (address: string, version: string): string =>
  /\/v\d\w*$/.test(address) ? address : `${address}/${version}`
