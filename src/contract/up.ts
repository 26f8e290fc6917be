import { z } from 'zod'

/** One process for ever: a pid alone is given to another sooner or later. */
export const Identity = z.object({ pid: z.int().positive(), startTime: z.string(), bootId: z.string() })

export const RecordedChild = Identity.extend({ name: z.string() })
export type RecordedChild = z.infer<typeof RecordedChild>

/** `up.json` in the home: what runs there, for the command line and for the next `up`. */
export const UpRecord = Identity.extend({
  /** Once it serves. */
  url: z.url().optional(),
  startedAt: z.iso.datetime(),
  children: z.array(RecordedChild),
})
export type UpRecord = z.infer<typeof UpRecord>

/** What a program tells the supervisor once it serves. */
export const Ready = z.object({ type: z.literal('ready'), url: z.url() })
export type Ready = z.infer<typeof Ready>

/** What the supervisor tells a program that has others to end before itself; `hurry` when a person asked twice. */
export const Farewell = z.object({ type: z.literal('farewell'), hurry: z.boolean() })
export type Farewell = z.infer<typeof Farewell>
