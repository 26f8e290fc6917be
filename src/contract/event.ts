import { z } from 'zod'
import { Id, Time } from './text.ts'

/** The stream that Home, Board and Inbox read: every change of a task, an execution's status or an approval. */
export const BOARD_STREAM = '00000000-0000-7000-8000-000000000001'

/** How the scans of all machines go: `scan` with a ScanProgress. */
export const DISCOVERY_STREAM = '00000000-0000-7000-8000-000000000002'

/** One record of a stream. `seq` has no gaps within a stream, and only Postgres assigns it. */
export const StreamEvent = z.object({
  seq: z.int(),
  executionId: Id.nullable(),
  type: z.string(),
  payload: z.unknown(),
  at: Time,
})
export type StreamEvent = z.infer<typeof StreamEvent>

/** What a writer hands in; the rest is Postgres's to say. */
export interface NewEvent {
  type: string
  payload: unknown
  executionId?: string
  taskId?: string
}
