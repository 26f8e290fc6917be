import { z } from 'zod'
import { Paging } from './answer.ts'
import { Id, Time } from './text.ts'

/** What was done in a workspace or went out of it, by whom, and what came of it. */
export const AuditEntry = z.object({
  id: z.int(),
  at: Time,
  /**
   * `tool`: a call of a tool. `egress`: a connection out. `workspace`, `source`, `user`, `setting`, `policy`: one was made, changed or
   * removed. `code`: a run of code.
   */
  kind: z.enum(['tool', 'egress', 'workspace', 'source', 'code', 'user', 'setting', 'policy']),
  /** Who asked: a user's id, or the keeper's for what an agent did by itself. */
  actor: z.string(),
  workspaceId: Id.nullable(),
  sessionId: Id.nullable(),
  /** The tool, the host and port, the verb. */
  subject: z.string(),
  outcome: z.enum(['ok', 'refused', 'failed']),
  /** What it was about, without contents: a path, a command, sizes; or the code and message of a refusal. */
  detail: z.record(z.string(), z.unknown()),
  durationMs: z.number().nullable(),
})
export type AuditEntry = z.infer<typeof AuditEntry>

const filters = {
  kind: AuditEntry.shape.kind.optional(),
  workspaceId: Id.optional(),
  sessionId: Id.optional(),
  outcome: AuditEntry.shape.outcome.optional(),
  actor: z.string().max(300).optional(),
  /** Words of the subject, of who did it, or of what it was about. */
  q: z.string().max(200).optional(),
  from: Time.optional(),
  /** Before this time. */
  until: Time.optional(),
}

export const AuditFilter = z.strictObject(filters)
export type AuditFilter = z.infer<typeof AuditFilter>

export const AuditQuery = Paging.extend(filters)
export type AuditQuery = z.infer<typeof AuditQuery>

/** A line of `audit.ndjson` in the keeper's folder: what the worker copies. Offsets begin at 1 and have no gaps. */
export const AuditRecord = z.object({
  offset: z.int(),
  at: Time,
  kind: z.enum(['egress', 'workspace']),
  workspaceId: Id,
  sessionId: Id.nullable(),
  subject: z.string(),
  outcome: z.enum(['ok', 'refused', 'failed']),
  detail: z.record(z.string(), z.unknown()),
  durationMs: z.number().nullable(),
})
export type AuditRecord = z.infer<typeof AuditRecord>

/** The same as a file, all of it. */
export const AuditExport = AuditFilter.extend({ format: z.enum(['ndjson', 'csv']).default('ndjson') })
export type AuditExport = z.infer<typeof AuditExport>
