import type { ModelProvider } from '#contract/settings.ts'
import { addressOf, keyOf, variablesOf } from './providers.ts'
import type { ModelSettings } from './providers.ts'
import { withoutKey } from './without-key.ts'

/** Who was asked, with what is needed to say it. */
export interface Whom {
  settings: ModelSettings
  provider: ModelProvider
}

/** Why a provider tells nothing, in a sentence with what to do about it. */
export class Refusal extends Error {
  readonly status: 'unauthorized' | 'unreachable' | 'failed'
  constructor(status: Refusal['status'], message: string) {
    super(message)
    this.status = status
  }
}

export function refusedKey({ settings, provider }: Whom, status: number): Refusal {
  const variable = keyOf[provider]
  return settings[provider].apiKey === undefined
    ? new Refusal('unauthorized', `${provider} wants a key (${status}): set ${variable}`)
    : new Refusal('unauthorized', `${provider} does not accept the key in ${variable} (${status}): check it`)
}

export const answersOtherwise = (whom: Whom, status: number, text: string): Refusal =>
  new Refusal('failed', `${whom.provider} answers ${status}${saidIn(text, whom)}`)

export const listsNothing = (whom: Whom): Refusal =>
  new Refusal(
    'failed',
    `${whom.provider} answers at ${shown(whom)}, but not with models: ${checkAddress(whom)}`,
  )

export const hasNoApi = (whom: Whom): Refusal =>
  new Refusal('failed', `There is no API of ${whom.provider} at ${shown(whom)}: ${checkAddress(whom)}`)

export const tooSlow = (whom: Whom, patienceMs: number): Refusal =>
  new Refusal(
    'unreachable',
    `${whom.provider} does not answer at ${shown(whom)} within ${patienceMs / 1_000} s: ${checkAddress(whom)}`,
  )

export function asRefusal(error: unknown, whom: Whom): Refusal {
  if (error instanceof Refusal) return error
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof TypeError && cause instanceof Error)
    return new Refusal(
      'unreachable',
      `${whom.provider} cannot be reached at ${shown(whom)} (${whyOf(cause, whom)}): ${checkAddress(whom)}`,
    )
  return new Refusal('failed', `${whom.provider} cannot be asked: ${inWords(message, whom)}`)
}

const words: Record<string, string> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNRESET: 'the connection broke',
  UND_ERR_SOCKET: 'the connection broke',
}

function whyOf(cause: Error, whom: Whom): string {
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return words[code] ?? (inWords(cause.message, whom) || code)
}

/** Never with a name or password in it, nor with what may be a key behind a question mark. */
export function shownAddress(address: string): string | null {
  const url = URL.parse(address)
  return url && `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

const shown = ({ settings, provider }: Whom): string =>
  shownAddress(addressOf(settings, provider)) ?? 'its address'

const checkAddress = ({ provider, settings }: Whom): string =>
  settings[provider].baseUrl === undefined
    ? 'is the network there?'
    : `check ${variablesOf[provider].find((name) => name.endsWith('BASE_URL')) ?? ''}`

function saidIn(text: string, whom: Whom): string {
  const page = parsed(text)
  const error = field(page, 'error')
  const said = field(error, 'message') ?? field(page, 'message') ?? error
  return typeof said === 'string' && said !== '' ? `: ${inWords(said, whom)}` : ''
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value
    ? (value as Record<string, unknown>)[name]
    : undefined

/** Undefined where it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Some tell the key, or a part of it, in what they say about it. */
const inWords = (text: string, { settings, provider }: Whom): string =>
  withoutKey(text, settings[provider].apiKey)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200)
