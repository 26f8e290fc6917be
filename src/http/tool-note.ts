import type { AuditNote } from '#db/audit.ts'
import { Problem } from '#domain/problem.ts'
import { statusOf } from './problems.ts'

/** What came of it, when that was nothing. */
export function outcomeOf(
  error: unknown,
  asker: Pick<AbortSignal, 'aborted'>,
): Pick<AuditNote, 'outcome'> & { code: string } {
  if (asker.aborted) return { outcome: 'failed', code: 'hung_up' }
  if (!(error instanceof Problem)) return { outcome: 'failed', code: 'internal' }
  const status = statusOf[error.code]
  return { outcome: status < 500 && status !== 408 ? 'refused' : 'failed', code: error.code }
}
