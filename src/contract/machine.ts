import { z } from 'zod'
import { Isolation } from './keeper.ts'
import { Id, Time } from './text.ts'

/** What a worker last said of itself. */
export const WorkerReport = z.object({
  version: z.string(),
  pid: z.int(),
  live: z.object({ coding: z.int(), tool: z.int(), chat: z.int().default(0) }),
  limit: z.object({ coding: z.int(), tool: z.int(), chat: z.int().default(0) }),
  freeDiskBytes: z.int(),
  /** Why it claims nothing at present. */
  notClaiming: z.string().nullable(),
  /** What keeps the processes of one execution together. */
  isolation: Isolation.nullable(),
  keepers: z.int(),
  /** Those that a keeper serves at present. */
  workspaces: z.array(Id).default([]),
})
export type WorkerReport = z.infer<typeof WorkerReport>

export const WorkerStatus = z.object({
  machineId: Id,
  workerId: z.string(),
  name: z.string(),
  /** `stopped` said goodbye; `unreachable` did not. */
  state: z.enum(['up', 'stopped', 'unreachable']),
  startedAt: Time,
  seenAt: Time,
  queued: z.int(),
  report: WorkerReport.nullable(),
})
export type WorkerStatus = z.infer<typeof WorkerStatus>
