import type { ModelProvider } from '#contract/settings.ts'
import { ModelFailed } from './failure.ts'

/** Like fetch, but it goes nowhere else: whoever is redirected to would be handed the key. */
export const fetchFrom =
  (provider: ModelProvider): typeof fetch =>
  async (input, init) => {
    const answer = await fetch(input, { ...init, redirect: 'manual' })
    if (answer.status < 300 || answer.status >= 400) return answer
    await answer.body?.cancel()
    throw new ModelFailed('bad_request', `${provider} ${redirected(answer)}`)
  }

export function redirected(answer: Response): string {
  const to = URL.parse(answer.headers.get('location') ?? '', answer.url)
  return `wants to be asked at ${to?.origin ?? 'another address'} instead (${answer.status}), where the key is not sent by itself: set its base URL if that is right`
}
