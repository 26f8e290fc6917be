import type { CheckedProvider } from '#contract/model.ts'
import type { ModelProvider } from '#contract/settings.ts'
import { readWhole } from '#lib/read-whole.ts'
import { knownModels } from './catalogue.ts'
import { redirected } from './fetch-from.ts'
import { canChat, listings } from './list-models.ts'
import type { ListedModel } from './list-models.ts'
import { ModelUnavailable } from './port.ts'
import {
  Refusal,
  answersOtherwise,
  asRefusal,
  hasNoApi,
  listsNothing,
  parsed,
  refusedKey,
  tooSlow,
} from './provider-refusal.ts'
import type { Whom } from './provider-refusal.ts'
import { addressOf, checkAccess, hasAccess } from './providers.ts'
import type { ModelSettings } from './providers.ts'
import { withoutKey } from './without-key.ts'

/** What a provider said when it was asked, or why it said nothing. */
export interface Asked {
  provider: ModelProvider
  status: CheckedProvider['status']
  reason: string | null
  models: ListedModel[]
  latencyMs: number | null
}

const longestPage = 16 * 1024 * 1024
const mostPages = 50

/** Asks for its models. Never rejects: what is wrong stands in the answer, and no key does. */
export async function askProvider(
  settings: ModelSettings,
  provider: ModelProvider,
  patienceMs: number,
): Promise<Asked> {
  const nothing = { provider, models: [], latencyMs: null }
  const missing = missingIn(settings, provider)
  if (missing !== undefined)
    return {
      ...nothing,
      status: hasAccess(settings, provider) ? 'unauthorized' : 'unconfigured',
      reason: missing,
    }
  const signal = AbortSignal.timeout(patienceMs)
  const asking = { settings, provider, signal }
  const startedAt = performance.now()
  const latencyMs = () => Math.round(performance.now() - startedAt)
  try {
    const { models, reason } = await modelsOf(asking)
    return { provider, status: 'available', reason, models: models.filter(canChat), latencyMs: latencyMs() }
  } catch (error) {
    const refusal = signal.aborted ? tooSlow(asking, patienceMs) : asRefusal(error, asking)
    // Also an address may have the key in it.
    const reason = withoutKey(refusal.message, settings[provider].apiKey)
    return { ...nothing, status: refusal.status, reason, latencyMs: latencyMs() }
  }
}

function missingIn(settings: ModelSettings, provider: ModelProvider): string | undefined {
  try {
    checkAccess(settings, provider)
    return undefined
  } catch (error) {
    if (error instanceof ModelUnavailable) return error.message
    throw error
  }
}

interface Asking extends Whom {
  signal: AbortSignal
}

interface Listed {
  models: ListedModel[]
  reason: string | null
}

async function modelsOf(asking: Asking): Promise<Listed> {
  const listing = listings[asking.provider]
  const models = new Map<string, ListedModel>()
  const seen = new Set<string | undefined>()
  let after: string | undefined
  do {
    seen.add(after)
    const answer = await send(asking, 'GET', listing.path(after))
    if (seen.size === 1 && hasNothing(answer)) return withoutList(asking)
    const page = listing.read(parsed(accepted(asking, answer).text))
    if (!page) throw listsNothing(asking)
    for (const one of page.models) models.set(one.model, one)
    after = page.next
  } while (after !== undefined && !seen.has(after) && seen.size < mostPages)
  return { models: [...models.values()], reason: null }
}

/** Nothing is asked in earnest: whoever accepts the key complains of the empty question. */
async function withoutList(asking: Asking): Promise<Listed> {
  const { settings, provider } = asking
  const answer = await send(asking, 'POST', listings[provider].talk)
  if (hasNothing(answer)) throw hasNoApi(asking)
  if (isRefusedKey(answer) || !complains(answer)) accepted(asking, answer)
  const named = provider === 'compatible' ? [settings.model ?? []].flat() : knownModels(provider)
  return {
    models: named.map((model) => ({ model, window: null, maxOutput: null })),
    reason: `${provider} does not list its models: any can be asked for by its name`,
  }
}

interface Answer {
  status: number
  text: string
}

async function send(asking: Asking, method: 'GET' | 'POST', path: string): Promise<Answer> {
  const { settings, provider, signal } = asking
  const answer = await fetch(`${addressOf(settings, provider)}${path}`, {
    method,
    headers: {
      ...listings[provider].headers(settings[provider].apiKey),
      accept: 'application/json',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
    },
    ...(method === 'POST' && { body: '{}' }),
    // Whoever it leads to would be handed the key.
    redirect: 'manual',
    signal,
  })
  if (answer.status >= 300 && answer.status < 400) {
    await answer.body?.cancel()
    throw new Refusal('failed', `${provider} ${redirected(answer)}`)
  }
  const text = answer.body ? (await readWhole(answer.body, longestPage)).toString('utf8') : ''
  return { status: answer.status, text }
}

function accepted(asking: Asking, answer: Answer): Answer {
  if (answer.status === 200) return answer
  throw isRefusedKey(answer)
    ? refusedKey(asking, answer.status)
    : answersOtherwise(asking, answer.status, answer.text)
}

const hasNothing = ({ status }: Answer): boolean => [404, 405, 501].includes(status)
const complains = ({ status }: Answer): boolean => status === 400 || status === 422

/** Google says of a wrong key that the request is bad. */
const isRefusedKey = ({ status, text }: Answer): boolean =>
  status === 401 || status === 403 || (status === 400 && /API_KEY_INVALID|API key not valid/.test(text))
