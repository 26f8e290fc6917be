import { z } from 'zod'
import { Paging } from './answer.ts'
import { Id, Time } from './text.ts'

/** What was done in a workspace or went out of it, by whom, and what came of it. */
export const AuditEntry = z.object({
  id: z.int(),
  at: Time,
  /** `tool`: a call of a tool. `egress`: a connection out. `workspace`, `source`: one was made, changed or removed. `code`: a run of code. */
  kind: z.enum(['tool', 'egress', 'workspace', 'source', 'code']),
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

export const AuditQuery = Paging.extend({
  kind: AuditEntry.shape.kind.optional(),
  workspaceId: Id.optional(),
  sessionId: Id.optional(),
  outcome: AuditEntry.shape.outcome.optional(),
})
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
