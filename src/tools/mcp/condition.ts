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

/** Spelled out once: it is asked for at every call. */
interface Moment {
  ms: number
  iso: string
}
function moment(): Moment {
  const now = new Date()
  return { ms: now.getTime(), iso: now.toISOString() }
}

export function openCondition(
  log: Logger,
  onChange: () => void,
  hideSecrets: (told: string) => string,
): Condition {
  let status: SourceStatus = 'connecting'
  let since = moment()
  let error: ({ told: string } & Moment) | undefined
  let retryAt: string | null = null
  return {
    become(next, nextRetryAt) {
      if (status !== next) since = moment()
      status = next
      retryAt = nextRetryAt?.toISOString() ?? null
      onChange()
    },
    note(told) {
      const line = shortened(redactText(hideSecrets(told)))
      // The same again and again is said once.
      if (line !== error?.told) log.warn({ told: line }, 'A source of tools has a problem')
      error = { told: line, ...moment() }
    },
    told() {
      const wellSince = Math.max(since.ms, error?.ms ?? 0)
      if (status === 'healthy' && Date.now() - wellSince >= forgetMs) error = undefined
      return {
        status,
        error: error?.told ?? null,
        errorAt: error?.iso ?? null,
        nextRetryAt: retryAt,
        since: since.iso,
      }
    },
  }
}
