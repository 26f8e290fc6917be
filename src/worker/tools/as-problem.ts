import { Problem } from '#domain/problem.ts'
import type { ProblemCode } from '#domain/problem.ts'
import { CallFailed } from '#tools/port.ts'
import type { CallFailure } from '#tools/port.ts'

const codes = {
  tool_not_found: 'tool_not_found',
  source_not_found: 'source_not_found',
  tool_not_granted: 'tool_not_granted',
  tool_changed: 'tool_changed',
  tool_refused: 'tool_refused',
  bad_arguments: 'does_not_fit',
  too_many_calls: 'too_many_calls',
  tool_timed_out: 'tool_timed_out',
  source_unavailable: 'source_unavailable',
  source_unauthorized: 'source_unauthorized',
  source_failed: 'source_failed',
  answer_too_large: 'answer_too_large',
  // Whoever called is gone: nobody reads it.
  cancelled: 'source_failed',
  awaits_person: 'tool_refused',
} as const satisfies Record<CallFailure, ProblemCode>

/** What people are told of a call that came to nothing. Everything else is passed on as it is. */
export function asProblem(error: unknown): unknown {
  return error instanceof CallFailed ? new Problem(codes[error.reason], error.message, error.context) : error
}
