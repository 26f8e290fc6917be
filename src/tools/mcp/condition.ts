import type { SourceHealth, SourceStatus } from '#contract/source.ts'
import type { Logger } from '#lib/log.ts'
import { redactText } from '#lib/redact.ts'
import { shortened } from './why.ts'

/** How a connection is, and what went wrong last. */
export interface Condition {
  become: (status: SourceStatus, nextRetryAt?: Date) => void
  /** What went wrong, for people. It may be that nothing follows from it. */
  note: (told: string) => void
  told: () => Pick<SourceHealth, 'status' | 'error' | 'errorAt' | 'nextRetryAt' | 'since'>
}

/** What went wrong before so long a time of health is of no use to anybody. */
const forgetMs = 10 * 60_000

export function openCondition(
  log: Logger,
  onChange: () => void,
  hideSecrets: (told: string) => string,
): Condition {
  let status: SourceStatus = 'connecting'
  let since = new Date()
  let error: { told: string; at: Date } | undefined
  let retryAt: Date | undefined
  return {
    become(next, nextRetryAt) {
      if (status !== next) since = new Date()
      status = next
      retryAt = nextRetryAt
      onChange()
    },
    note(told) {
      const line = shortened(redactText(hideSecrets(told)))
      // The same again and again is said once.
      if (line !== error?.told) log.warn({ told: line }, 'A source of tools has a problem')
      error = { told: line, at: new Date() }
    },
    told() {
      const wellSince = Math.max(since.getTime(), error?.at.getTime() ?? 0)
      if (status === 'healthy' && Date.now() - wellSince >= forgetMs) error = undefined
      return {
        status,
        error: error?.told ?? null,
        errorAt: error?.at.toISOString() ?? null,
        nextRetryAt: retryAt?.toISOString() ?? null,
        since: since.toISOString(),
      }
    },
  }
}
