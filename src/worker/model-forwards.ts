import type { Config } from '#config/config.ts'
import { inside } from '#contract/host.ts'
import type { Forward } from '#contract/workspace.ts'

/** What stands inside in place of a key, which is added on the way out. */
export const placeholder = 'held-by-signalbox'

export type Provider = 'anthropic' | 'openai' | 'google' | 'compatible'

interface Known {
  url: string | undefined
  /** What clients inside append themselves: it is taken off what somebody may have configured with it. */
  appended: RegExp
  /** Variables of the key, in the order in which the first that is there counts; and how it is sent. */
  keys: readonly string[]
  header: (key: string, variable: string) => Record<string, string>
  /** Besides what the configuration reads. */
  urlVariable?: string
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const providers: Record<Provider, Known> = {
  anthropic: {
    url: 'https://api.anthropic.com',
    appended: /\/v1\/?$/,
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    header: (key, variable) => (variable === 'ANTHROPIC_API_KEY' ? { 'x-api-key': key } : bearer(key)),
  },
  openai: {
    url: 'https://api.openai.com/v1',
    appended: /\/$/,
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    header: bearer,
  },
  google: {
    url: 'https://generativelanguage.googleapis.com',
    appended: /\/v1(beta)?\/?$/,
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    header: (key) => ({ 'x-goog-api-key': key }),
    urlVariable: 'GOOGLE_GEMINI_BASE_URL',
  },
  compatible: { url: undefined, appended: /\/$/, keys: ['COMPATIBLE_API_KEY'], header: bearer },
}

export const providerNames = Object.keys(providers) as Provider[]

/** The variables whose value a forward holds. */
export const keyVariables = (provider: Provider): readonly string[] => providers[provider].keys

/** The variable that a client of this provider finds a key in, as it is here: how a key is sent depends on it. */
export function keyVariableOf(provider: Provider, { models }: Config, env: NodeJS.ProcessEnv): string {
  const { keys } = providers[provider]
  if (models[provider].apiKey) return keys[0]!
  return keys.find((name) => env[name]) ?? keys[0]!
}

/** The models that somebody has given Signalbox a key or an address for, with the keys that are added on the way. */
export function modelForwards(config: Config, env: NodeJS.ProcessEnv): Forward[] {
  return providerNames.flatMap((name) => {
    const { url, appended, header, urlVariable } = providers[name]
    const { apiKey, baseUrl } = config.models[name]
    const variable = keyVariableOf(name, config, env)
    const key = apiKey ?? env[variable]
    const configured = baseUrl ?? (urlVariable && env[urlVariable])
    const target = configured ?? (key ? url : undefined)
    if (!target) return []
    return [{ name, url: target.replace(appended, ''), headers: key ? header(key, variable) : {} }]
  })
}

/** Where a client inside finds this provider. */
export const insideUrl = (provider: Provider): string => `http://127.0.0.1:${inside.forwardPort}/${provider}`
