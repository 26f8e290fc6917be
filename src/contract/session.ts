import { z } from 'zod'
import { SessionFacts } from './agent-event.ts'
import { Paging } from './answer.ts'
import { ExecutionStatus } from './execution.ts'
import { Id, Time, line } from './text.ts'

/** A continuing conversation with one agent in one workspace. Its id is also its stream's. */
export const Session = z.object({
  id: Id,
  title: z.string(),
  agentId: Id.nullable(),
  workspaceId: Id.nullable(),
  taskId: Id.nullable(),
  createdBy: z.string(),
  createdAt: Time,
  /** When anything was last said or done in it. */
  lastActivityAt: Time,
  /** Of its latest execution, if it has one. */
  status: ExecutionStatus.nullable(),
  executions: z.int(),
  /** As wanted; null leaves it to the agent. What it really uses stands in `facts`. */
  model: z.string().nullable(),
  mode: z.string().nullable(),
  /** What the agent itself calls it: with this it can be resumed. */
  sessionRef: z.string().nullable(),
  facts: SessionFacts,
  /** The session that this one was forked from. */
  parentSessionId: Id.nullable(),
  /** It was begun outside, and adopted. */
  adoptedAt: Time.nullable(),
  /** Since when a person has it, in the agent's own interface. */
  takenOverAt: Time.nullable(),
  tmuxSession: z.string().nullable(),
  waitingApprovals: z.int(),
  /** All its turns together. */
  usage: z.object({ inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number() }),
  trashedAt: Time.nullable(),
})
export type Session = z.infer<typeof Session>

export const SessionQuery = Paging.extend({
  agentId: Id.optional(),
  taskId: Id.optional(),
  workspaceId: Id.optional(),
  /** Those in the trash instead of the others. */
  trashed: z.enum(['true', 'false']).default('false'),
})
export type SessionQuery = z.infer<typeof SessionQuery>

/** A session that the agent's program holds in its own history, begun by whomever. */
export const OutsideSession = z.object({
  /** What the agent calls it: to be adopted by. */
  ref: z.string(),
  cwd: z.string(),
  title: z.string(),
  startedAt: Time,
  updatedAt: Time,
  turns: z.int(),
  /** The session of ours that it already is. */
  adoptedBy: Id.nullable(),
})
export type OutsideSession = z.infer<typeof OutsideSession>

export const OutsideQuery = z.strictObject({ agentId: Id })
export type OutsideQuery = z.infer<typeof OutsideQuery>

/** A session that a person has, in the agent's own interface. */
export const TakenOver = z.object({
  tmuxSession: z.string(),
  /** The command line with which somebody on the agent's machine attaches to it. */
  attach: z.string(),
  /** What the agent's interface goes on in; null: it begins afresh. */
  sessionRef: z.string().nullable(),
})
export type TakenOver = z.infer<typeof TakenOver>

export const OpenSession = z.strictObject({
  agentId: Id,
  workspaceId: Id.optional(),
  title: line(200).optional(),
  model: line(200).optional(),
  mode: line(100).optional(),
  /** A session of the agent that was begun outside, by what the agent calls it. */
  adopt: line(200).optional(),
})
export type OpenSession = z.infer<typeof OpenSession>

export const EditSession = z.strictObject({
  title: line(200).optional(),
  model: line(200).nullable().optional(),
  mode: line(100).nullable().optional(),
})
export type EditSession = z.infer<typeof EditSession>
