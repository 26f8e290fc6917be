import type { LanguageModel } from 'ai'
import type { ModelProvider } from '#contract/settings.ts'
import { defaultModel } from './catalogue.ts'
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

/** Where the key of each is looked for. */
export const keyVariable: Record<ModelProvider, string> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  compatible: 'COMPATIBLE_BASE_URL',
}

const aliases: Record<string, ModelProvider> = { claude: 'anthropic', gemini: 'google' }
const providers: readonly ModelProvider[] = ['anthropic', 'openai', 'google', 'compatible']

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
  const [first = '', ...rest] = (wanted ?? '').split('/')
  const named = providerNamed(first)
  if (named && rest.length > 0) return { provider: named, model: rest.join('/') }
  if (named) return { provider: named, model: modelFor(settings, named) }
  if (wanted) return { provider: guessed(wanted) ?? standing(settings), model: wanted }
  const provider = standing(settings)
  return { provider, model: modelFor(settings, provider) }
}

const providerNamed = (name: string): ModelProvider | undefined =>
  aliases[name] ?? providers.find((one) => one === name)

function guessed(model: string): ModelProvider | undefined {
  if (model.startsWith('claude-')) return 'anthropic'
  if (model.startsWith('gemini-')) return 'google'
  return /^(gpt-|o\d)/.test(model) ? 'openai' : undefined
}

function standing(settings: ModelSettings): ModelProvider {
  const provider = settings.provider ?? providers.find((one) => hasAccess(settings, one))
  if (provider) return provider
  const variables = providers.map((one) => keyVariable[one])
  throw new ModelUnavailable(
    `There is no key for any model. Set one of ${variables.join(', ')}, and start Signalbox again`,
    variables,
  )
}

function modelFor(settings: ModelSettings, provider: ModelProvider): string {
  const isMeant = settings.model !== undefined && (guessed(settings.model) ?? provider) === provider
  if (settings.model !== undefined && isMeant) return settings.model
  if (provider !== 'compatible') return defaultModel[provider]
  throw new ModelUnavailable(
    'Which model the compatible endpoint should answer with is not said. Set LLM_MODEL, or name it as compatible/NAME',
    ['LLM_MODEL'],
  )
}

/** The model, ready to be asked. What it needs is loaded when it is first needed. Throws ModelUnavailable. */
export async function openModel(settings: ModelSettings, chosen: ChosenModel): Promise<LanguageModel> {
  const { provider, model } = chosen
  checkAccess(settings, provider)
  const { apiKey, baseUrl } = settings[provider]
  const options = {
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
  }
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic')
      // Its own variable has the address without the version, as its other programs have it.
      const address = baseUrl === undefined ? {} : { baseURL: withVersion(baseUrl, 'v1') }
      return createAnthropic({ ...options, ...address })(model)
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai')
      return createOpenAI(options)(model)
    }
    case 'google': {
      const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
      const address = baseUrl === undefined ? {} : { baseURL: withVersion(baseUrl, 'v1beta') }
      return createGoogleGenerativeAI({ ...options, ...address })(model)
    }
    case 'compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        name: 'compatible',
        baseURL: baseUrl ?? '',
        ...(apiKey !== undefined && { apiKey }),
        includeUsage: true,
      })(model)
    }
  }
}

export function checkAccess(settings: ModelSettings, provider: ModelProvider): void {
  if (hasAccess(settings, provider)) return
  const variable = keyVariable[provider]
  throw new ModelUnavailable(`${provider} cannot be asked: ${variable} is not set`, [variable])
}

const withVersion = (baseUrl: string, version: string): string => {
  const plain = baseUrl.replace(/\/+$/, '')
  return /\/v\d\w*$/.test(plain) ? plain : `${plain}/${version}`
}
