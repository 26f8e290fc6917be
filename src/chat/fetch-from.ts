import type { ModelProvider } from '#contract/settings.ts'
import { ModelFailed } from './failure.ts'
import { onlyEvents } from './only-events.ts'
import { whyUnreachable } from './why-unreachable.ts'

/** How long it may take until an answer begins. A model on a machine of one's own reads all that it is shown before it does. */
const patienceMs: Record<ModelProvider, number> = {
  anthropic: 60_000,
  openai: 60_000,
  google: 60_000,
  compatible: 280_000,
}

export interface FetchedFrom {
  provider: ModelProvider
  apiKey?: string | undefined
  patienceMs?: number | undefined
}

/** Like fetch, but it goes nowhere else: whoever is redirected to would be handed the key. What is no answer of a model fails. */
export const fetchFrom =
  ({ provider, apiKey, patienceMs: patience = patienceMs[provider] }: FetchedFrom): typeof fetch =>
  async (input, init) => {
    const answer = await begun(provider, patience, input, init)
    if (answer.status >= 300 && answer.status < 400) {
      await answer.body?.cancel()
      throw new ModelFailed('bad_request', `${provider} ${redirected(answer)}`)
    }
    return answer.ok ? onlyEvents(answer, provider, apiKey) : answer
  }

async function begun(
  provider: ModelProvider,
  patience: number,
  input: Parameters<typeof fetch>[0],
  init: RequestInit = {},
): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), patience)
  const signals = [late.signal, ...(init.signal ? [init.signal] : [])]
  try {
    return await fetch(input, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) })
  } catch (error) {
    init.signal?.throwIfAborted()
    const seconds = Math.round(patience / 1_000)
    if (late.signal.aborted)
      throw new ModelFailed('dropped', `${provider} did not answer within ${seconds} s`, { cause: error })
    const why = whyUnreachable(error instanceof Error ? error.cause : undefined)
    throw new ModelFailed('dropped', `${provider} cannot be reached${why ? `: ${why}` : ''}`, {
      cause: error,
    })
  } finally {
    clearTimeout(timer)
  }
}

export function redirected(answer: Response): string {
  const to = URL.parse(answer.headers.get('location') ?? '', answer.url)
  return `wants to be asked at ${to?.origin ?? 'another address'} instead (${answer.status}), where the key is not sent by itself: set its base URL if that is right`
}
