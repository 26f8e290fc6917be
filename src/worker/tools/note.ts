import { openAuditBook } from '#db/audit-book.ts'
import type { Database } from '#db/pool.ts'
import type { RegistryHands } from '#tools/port.ts'

/** Writes every call down before it is answered; those that come together go together. */
export function openNote(db: Database): RegistryHands['note'] {
  const book = openAuditBook(db)
  return async ({ caller, tool, outcome, code, durationMs, detail }) => {
    const onBehalfOf = caller.kind === 'agent' ? { onBehalfOf: caller.onBehalfOf } : {}
    await book.note({
      kind: 'tool',
      actor: caller.id,
      subject: tool,
      outcome,
      durationMs,
      detail: { ...detail, ...onBehalfOf, ...(code && { code }) },
      ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }),
    })
  }
}
