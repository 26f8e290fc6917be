import { z } from 'zod'
import { PromptFile } from './agent-event.ts'
import { Paging } from './answer.ts'
import { Id, Time, isStorable, line, notStorable, prose } from './text.ts'

export const ExecutionStatus = z.enum([
  'queued',
  'running',
  'cancelling',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
])
export type ExecutionStatus = z.infer<typeof ExecutionStatus>

/** Where an execution still is before it ends; there is at most one of these in a session. */
export const liveStatuses = ['queued', 'running', 'cancelling'] as const satisfies ExecutionStatus[]
export const isLive = (status: ExecutionStatus): boolean => liveStatuses.some((live) => live === status)

/** How much of a workspace differs from what its work began with. */
export const Changes = z.object({ files: z.int(), additions: z.int(), deletions: z.int() })
export type Changes = z.infer<typeof Changes>

/** One turn of work in a session. */
export const Execution = z.object({
  id: Id,
  sessionId: Id,
  taskId: Id.nullable(),
  agentId: Id.nullable(),
  /** As it was called when the execution was asked for; the agent may be gone. */
  agentName: z.string(),
  capabilityId: Id.nullable(),
  capabilityKey: z.string(),
  machineId: Id,
  workspaceId: Id.nullable(),
  /** What it was asked with. */
  args: z.record(z.string(), z.unknown()),
  prompt: z.string().nullable(),
  files: z.array(PromptFile),
  status: ExecutionStatus,
  exitCode: z.int().nullable(),
  /** The signal that ended its process, if one did. */
  signal: z.string().nullable(),
  /** One line: what went wrong. */
  error: z.string().nullable(),
  createdBy: z.string(),
  createdAt: Time,
  startedAt: Time.nullable(),
  endedAt: Time.nullable(),
  workerId: z.string().nullable(),
  pid: z.int().nullable(),
  /** What the agent itself calls its session. */
  sessionRef: z.string().nullable(),
  tmuxSession: z.string().nullable(),
  logBytes: z.int(),
  logLines: z.int(),
  parentExecutionId: Id.nullable(),
  usage: z.record(z.string(), z.unknown()).nullable(),
  costUsd: z.number().nullable(),
  waitingApprovals: z.int(),
  /** Since when its agent has said nothing, when that is long. */
  stalledSince: Time.nullable(),
  /** Since when its machine has not been heard of. */
  unreachableSince: Time.nullable(),
  /** Measured when it is over; null before, and where there is no repository. */
  changes: Changes.nullable(),
})
export type Execution = z.infer<typeof Execution>

/** As the board stream tells it to everyone: without what was asked, which is between its people and its agent. */
export type ExecutionOnBoard = Omit<Execution, 'args' | 'prompt' | 'files'>

// What goes with a message travels in the body: 20 MB of base64 are the most that is worth that.
const attached = z.strictObject({
  /** A path within the workspace, or a data: URL. */
  url: z
    .string()
    .max(20_000_000, 'must be a file of at most 14 MB')
    .regex(
      /^(?:data:[\w.+-]+\/[\w.+-]+;base64,[\w+/=]*$|(?!\/|\w+:).)/,
      'must be a path within the workspace or a data: URL',
    )
    .refine(isStorable, notStorable)
    .refine((url) => !url.split('/').includes('..'), 'must not lead out of the workspace by ".."'),
  mediaType: z
    .string()
    .regex(/^[\w.+-]+\/[\w.+-]+$/, 'must be a media type such as image/png')
    .default('application/octet-stream'),
  name: line(255).optional(),
})
const files = z.array(attached).max(20)

export const StartExecution = z.strictObject({
  capabilityId: Id,
  taskId: Id.optional(),
  args: z.record(z.string(), z.unknown()).default({}),
  prompt: prose(1_000_000).optional(),
  files: files.default([]),
  workspaceId: Id.optional(),
  sessionId: Id.optional(),
  parentExecutionId: Id.optional(),
  /** A person's yes to a capability of danger level 2 or 3. */
  confirm: z.boolean().default(false),
})
export type StartExecution = z.infer<typeof StartExecution>

export const ExecutionQuery = Paging.extend({
  taskId: Id.optional(),
  agentId: Id.optional(),
  sessionId: Id.optional(),
  status: ExecutionStatus.optional(),
})
export type ExecutionQuery = z.infer<typeof ExecutionQuery>

export const SendMessage = z.strictObject({
  text: prose(1_000_000).min(1, 'must not be empty'),
  files: files.default([]),
})
export type SendMessage = z.infer<typeof SendMessage>

export const LogStream = z.enum(['stdout', 'stderr', 'system'])
export type LogStream = z.infer<typeof LogStream>

/** The payload of a `data-terminal` event: raw bytes, never cut inside a valid UTF-8 character. */
export const TerminalChunk = z.object({ stream: LogStream, chunk: z.base64() })
export type TerminalChunk = z.infer<typeof TerminalChunk>

/** The payload of a `data-status` event. */
export const StatusChange = z.object({
  status: ExecutionStatus,
  exitCode: z.int().nullable().optional(),
  error: z.string().nullable().optional(),
})
export type StatusChange = z.infer<typeof StatusChange>

/** What `logs/stream` says, by the event's name. */
export interface LogEvents {
  status: { status: ExecutionStatus }
  /** What was there already. */
  catchup: { content: string; stream: LogStream }
  log: { content: string; stream: LogStream }
  done: { status: ExecutionStatus; exitCode: number | null; error: string | null }
  error: { message: string }
}
