import { z } from 'zod'
import { ExecutionStatus } from './execution.ts'
import { Id, Time } from './text.ts'

/** What moves and what went wrong, at a glance. */
export const Overview = z.object({
  /** Works at this moment, and waits for nobody. */
  working: z.int(),
  queued: z.int(),
  /** Sessions whose last turn failed within a day, and nobody has gone on. */
  failed: z.int(),
  /** Turns that went well within a day. */
  succeeded: z.int(),
  /** There never was one. */
  isNew: z.boolean(),
  /** The newest first; at most 10. */
  failures: z.array(
    z.object({
      executionId: Id,
      sessionId: Id,
      title: z.string(),
      agentName: z.string(),
      status: ExecutionStatus.extract(['failed', 'timed_out']),
      error: z.string().nullable(),
      endedAt: Time,
    }),
  ),
})
export type Overview = z.infer<typeof Overview>
