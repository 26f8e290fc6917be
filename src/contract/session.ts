import { z } from 'zod'
import { Paging } from './answer.ts'
import { ExecutionStatus } from './execution.ts'
import { Id, Time } from './text.ts'

/** A continuing conversation with one agent in one workspace. Its id is also its stream's. */
export const Session = z.object({
  id: Id,
  title: z.string(),
  agentId: Id.nullable(),
  workspaceId: Id.nullable(),
  taskId: Id.nullable(),
  createdBy: z.string(),
  createdAt: Time,
  /** Of its latest execution, if it has one. */
  status: ExecutionStatus.nullable(),
  executions: z.int(),
})
export type Session = z.infer<typeof Session>

export const SessionQuery = Paging.extend({ agentId: Id.optional(), taskId: Id.optional() })
export type SessionQuery = z.infer<typeof SessionQuery>
