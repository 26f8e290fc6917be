import type { Audit, Noted } from './audit-file.ts'
import type { EnclosedSpec } from '#contract/workspace.ts'

export interface Carried {
  bytesOut: number
  bytesIn: number
}

/** One connection out, in the book from its beginning to its end. */
export interface Passage {
  /** It was not let through, and nothing went out. Throws when the first of this place cannot be noted. */
  refused(why: string): void
  /** It was allowed, and there was nowhere to go. Throws when that cannot be noted. */
  notFound(error: Error): void
  /** Before anything goes out. Throws when it cannot be noted. */
  begun(): void
  /** Nothing of it is left. The first call counts. */
  over(carried: Carried, error?: Error): void
}

export function openPassage(
  { workspace, audit }: { workspace: () => EnclosedSpec; audit: Audit },
  subject: string,
  detail: Record<string, unknown>,
): Passage {
  const at = performance.now()
  let opened: number | undefined
  const entry = (outcome: Noted['outcome'], more: object, durationMs: number | null): Noted => ({
    kind: 'egress',
    workspaceId: workspace().id,
    sessionId: null,
    subject,
    outcome,
    detail: { ...detail, ...more },
    durationMs,
  })
  const elapsed = () => Math.round(performance.now() - at)
  return {
    refused: (reason) => audit.noteRefusal(entry('refused', { reason }, elapsed())),
    notFound: (error) => void audit.note(entry('failed', { reason: reasonOf(error) }, elapsed())),
    begun() {
      opened = audit.note(entry('ok', { state: 'opened' }, null))
    },
    over(carried, error) {
      if (opened === undefined) return
      const more = { state: 'closed', opened, ...carried, ...(error && { reason: reasonOf(error) }) }
      opened = undefined
      audit.noteInTime(entry(error ? 'failed' : 'ok', more, elapsed()))
    },
  }
}

/** In one word if there is one: `ECONNREFUSED`. */
export const reasonOf = (error: Error): string =>
  'code' in error && typeof error.code === 'string' ? error.code : error.message.slice(0, 200)
