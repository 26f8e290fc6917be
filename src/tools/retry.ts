import { setTimeout as wait } from 'node:timers/promises'
import type { RetryPolicy } from '#contract/source.ts'
import type { ToolAnnotations } from '#contract/tool.ts'
import type { Deadline } from './deadline.ts'
import { CallFailed } from './port.ts'

/**
 * Whether a call may be sent once more: nothing of the last one has arrived, or it does no harm to do it twice and it was the way there
 * that failed. Everything else happens once.
 */
export function mayRetry(failure: unknown, { readOnlyHint, idempotentHint }: ToolAnnotations): boolean {
  if (!(failure instanceof CallFailed)) return false
  if (failure.reason !== 'source_unavailable' && failure.reason !== 'too_many_calls') return false
  const isHarmless = readOnlyHint === true || idempotentHint === true
  return failure.isUnsent || (isHarmless && failure.reason === 'source_unavailable')
}

/** Tries until it works, may not be tried again, or there is no time for it. Rejects with what the last try said, or why it was ended. */
export async function retrying<Result>(
  attempt: () => Promise<Result>,
  policy: RetryPolicy,
  annotations: ToolAnnotations,
  { signal, leftMs }: Pick<Deadline, 'signal' | 'leftMs'>,
): Promise<Result> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await attempt()
    } catch (failure) {
      if (tries >= policy.maxRetries || !mayRetry(failure, annotations)) throw failure
      const delay = delayOf(tries, policy, failure)
      if (delay >= leftMs()) throw failure
      await pause(delay, signal)
    }
  }
}

/** Doubled each time, and never the same for all who wait. */
function delayOf(tries: number, { initialDelay, maxDelay }: RetryPolicy, failure: unknown): number {
  const told = failure instanceof CallFailed ? Number(failure.context?.['retryAfterSec'] ?? 0) * 1000 : 0
  const delay = Math.min(maxDelay, initialDelay * 2 ** tries)
  return Math.max(Number.isFinite(told) ? told : 0, delay * (0.5 + Math.random() / 2))
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(ms, undefined, { signal })
  } catch {
    throw signal.reason
  }
}
