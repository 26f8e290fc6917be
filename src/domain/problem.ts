import { ToolRefusalCode } from '#contract/workspace-tool.ts'

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
  'browser_not_found',
  'execution_not_found',
  'session_not_found',
  'output_removed',
  'not_a_session_key',
  'agent_not_found',
  'agent_name_taken',
  'agent_builtin',
  'agent_busy',
  'agent_changed',
  'agent_inactive',
  'agent_at_limit',
  'adapter_unavailable',
  'capability_not_found',
  'capability_key_taken',
  'capability_busy',
  'binary_not_allowed',
  'working_dir_not_allowed',
  'machine_unavailable',
  'model_unavailable',
  'execution_ended',
  'session_busy',
  'spawn_too_deep',
  'budget_spent',
  'session_taken_over',
  'cannot_take_over',
  'take_over_failed',
  'session_trashed',
  'session_adopted',
  'cannot_fork',
  'cannot_branch',
  'approval_not_found',
  'approval_already_answered',
  'approval_expired',
  'approval_not_waiting',
  'rule_not_found',
  'rule_exists',
  'agent_not_ready',
  'agent_not_started',
  'takes_no_messages',
  'cannot_interrupt',
  ...ToolRefusalCode.options,
  // Workspaces themselves.
  'workspace_not_found',
  'workspace_not_ready',
  'workspace_not_running',
  'workspace_exists',
  'workspace_in_use',
  'workspace_trashed',
  'workspace_failed',
  'driver_unavailable',
  'command_needs_confirm',
  'app_not_up',
  'previews_unavailable',
  'archive_not_found',
  'nothing_to_restore',
  'not_a_repository',
  'git_failed',
  'merge_conflict',
  'too_many_calls',
  // Tools and where they come from.
  'tool_not_found',
  'tool_not_granted',
  'tool_changed',
  'tool_refused',
  'source_not_found',
  'source_name_taken',
  'source_in_file',
  'bad_source',
  'source_not_kept',
  'source_unavailable',
  'source_unauthorized',
  'source_failed',
  'answer_too_large',
  'authorization_failed',
  'authorization_unknown',
  // Code that calls tools.
  'code_run_not_found',
  'code_run_ended',
  // An agent that starts another one.
  'no_live_execution',
  'spawn_cooldown',
  'spawn_at_limit',
  // Programs that were found on a machine.
  'program_not_found',
  'program_confirmed',
  'program_gone',
  'machine_not_found',
  // The web terminal.
  'terminal_token_used',
  'terminal_gone',
  'terminal_full',
  'terminal_unavailable',
  'issuer_unavailable',
  'database_unavailable',
] as const
export type ProblemCode = (typeof problemCodes)[number]

export const isProblemCode = (code: unknown): code is ProblemCode =>
  problemCodes.some((known) => known === code)

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

/** A part of the body that does not fit, for a reason that its shape alone could not tell. */
export function bodyMisfit(field: string, reason: string): Problem {
  return new Problem('does_not_fit', `The body does not fit: ${field}: ${reason}`, {
    in: 'body',
    fields: [{ field, reason }],
  })
}
