import { createHash } from 'node:crypto'
import type { CodeResult } from '#contract/execute.ts'
import type { RunOfCode } from '#domain/code-run.ts'
import { redactText } from '#lib/redact.ts'
import type { AuditNote } from './audit.ts'

/** One line of the audit: how it began and what came of it, never what it was given or gave. */
export function codeNote(
  { id, principal, sessionId, wanted: { code } }: Omit<RunOfCode, 'logs'>,
  { success, error, metrics }: CodeResult,
  reached: Record<string, unknown> = {},
): AuditNote {
  const first = code.split('\n').find((line) => line.trim() !== '') ?? ''
  return {
    kind: 'code',
    actor: principal.id,
    subject: redactText(first.trim()).slice(0, 200).toWellFormed(),
    outcome: success
      ? ('ok' as const)
      : error?.type === 'security'
        ? ('refused' as const)
        : ('failed' as const),
    durationMs: metrics.executionTime,
    ...(sessionId !== null && { sessionId }),
    detail: {
      requestId: id,
      codeChars: code.length,
      codeHash: createHash('sha256').update(code).digest('hex').slice(0, 16),
      ...(error && { type: error.type, code: error.code }),
      calls: metrics.apiCalls,
      cpuMs: Math.round(metrics.cpuTime),
      memoryBytes: metrics.memoryUsed,
      ...(Object.keys(reached).length > 0 && { reached }),
      ...(principal.agent && { onBehalfOf: principal.agent.onBehalfOf }),
    },
  }
}
