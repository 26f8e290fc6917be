import type { RetryPolicy } from '#contract/source.ts'

const shortestMs = 100
/** Who was connected for so long starts afresh when it is lost. */
export const stableMs = 60_000

/** How long to wait after so many failures in a row. At random between half of it and all, so that many do not return at once. */
export function delayAfter(
  failures: number,
  policy: RetryPolicy,
  random: () => number = Math.random,
): number {
  const most = Math.max(shortestMs, policy.maxDelay)
  const least = Math.min(Math.max(shortestMs, policy.initialDelay), most)
  const delay = Math.min(most, least * 2 ** Math.min(30, failures - 1))
  return Math.max(shortestMs, Math.round(delay * (0.5 + random() / 2)))
}
