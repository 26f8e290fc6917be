/** Every way in which a request can be refused. A code without a status does not compile (http/problems.ts). */
const problemCodes = [
  'bad_json',
  'body_too_large',
  'does_not_fit',
  'not_found',
  'unauthenticated',
  'forbidden',
  'host_not_allowed',
  'origin_not_allowed',
  'too_many_attempts',
  'task_not_found',
  'task_move_forbidden',
  'task_neighbour_elsewhere',
  'task_too_deep',
  'task_parent_cycle',
  'task_has_subtasks',
  'dependency_cycle',
  'dependency_exists',
  'dependency_not_found',
  'user_not_found',
  'user_name_taken',
  'execution_not_found',
  'session_not_found',
  'output_removed',
  'not_a_session_key',
  'issuer_unavailable',
  'database_unavailable',
] as const
export type ProblemCode = (typeof problemCodes)[number]

/** A failure that is part of the contract: it reaches the caller as `{error: {code, message, context}}`. */
export class Problem extends Error {
  readonly code: ProblemCode
  readonly context: Record<string, unknown> | undefined

  constructor(code: ProblemCode, message: string, context?: Record<string, unknown>) {
    super(message)
    this.name = 'Problem'
    this.code = code
    this.context = context
  }
}
