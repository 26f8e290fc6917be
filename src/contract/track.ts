import { z } from 'zod'
import { Id, Time } from './text.ts'

export const TrackQuery = z.strictObject({
  minutes: z.coerce.number().int('must be a whole number').min(1).max(1440).default(30),
  /** The end of what is told; now, when it is not said or not yet. */
  until: Time.optional(),
  /** Calls before this are known already, and left out. */
  callsAfter: Time.optional(),
})
export type TrackQuery = z.infer<typeof TrackQuery>

/** What a session does for a while; in between it is idle. */
export const TrackSpan = z.object({
  executionId: Id,
  state: z.enum(['queued', 'working', 'waits']),
  from: Time,
  /** Null while it lasts. */
  to: Time.nullable(),
})
export type TrackSpan = z.infer<typeof TrackSpan>

/** Something that happened at one moment: a person was asked, or it failed. */
export const TrackMark = z.object({ executionId: Id, kind: z.enum(['asked', 'failed']), at: Time })
export type TrackMark = z.infer<typeof TrackMark>

/** A session over some time, as its events tell it. */
export const Track = z.object({
  sessionId: Id,
  title: z.string(),
  agentName: z.string(),
  begunAt: Time,
  /** At the end of that time. */
  state: z.enum(['queued', 'working', 'waits', 'failed', 'idle']),
  /** Why it failed, in one line. */
  error: z.string().nullable(),
  spans: z.array(TrackSpan),
  marks: z.array(TrackMark),
  /** When tools were called, in milliseconds after `from`; of several that cannot be told apart at this width, one. */
  calls: z.array(z.int()),
})
export type Track = z.infer<typeof Track>

export const Tracks = z.object({
  from: Time,
  until: Time,
  now: Time,
  /** How many sessions there were; at most 200 of them are told. */
  total: z.int(),
  tracks: z.array(Track),
})
export type Tracks = z.infer<typeof Tracks>
