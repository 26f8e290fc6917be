import type { ModelFailed } from './failure.ts'

const mostTries = 4
const firstWaitMs = 500
/** Nobody waits longer for a turn to go on. */
const longestWaitMs = 120_000

/** How long to wait before it is asked again; undefined where that would not help. */
export function waitBefore(failure: ModelFailed, attempt: number): number | undefined {
  if (failure.kind === 'garbled') return attempt === 1 ? firstWaitMs : undefined
  if (!failure.isPassing || attempt >= mostTries || isTooLong(failure)) return undefined
  return failure.retryAfterMs ?? firstWaitMs * 2 ** (attempt - 1)
}

export const askedAgain = (failure: ModelFailed, waitMs: number): string =>
  `${sentence(failure.message)} It is asked again${waitMs < 1_000 ? '' : ` in ${inWords(waitMs)}`}`

/** Why the turn failed, and what to do. */
export function whyFailed(failure: ModelFailed, advice: string): string {
  const { message, retryAfterMs = 0 } = failure
  const late = `It wants to be asked again in ${inWords(retryAfterMs)} at the earliest, for which a turn does not wait`
  const all = [message, ...(isTooLong(failure) ? [late] : []), ...(advice === '' ? [] : [advice])]
  return all.map((one, at) => (at < all.length - 1 ? sentence(one) : one)).join(' ')
}

const isTooLong = ({ isPassing, retryAfterMs = 0 }: ModelFailed): boolean =>
  isPassing && retryAfterMs > longestWaitMs

const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`)

function inWords(ms: number): string {
  if (ms < 120_000) return `${Math.ceil(ms / 1_000)} s`
  const minutes = Math.ceil(ms / 60_000)
  return minutes <= 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
