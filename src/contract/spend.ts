import { z } from 'zod'
import { Id } from './text.ts'

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

export const SpendQuery = z.strictObject({
  by: z.enum(['day', 'agent', 'task']).default('day'),
  /** Today, and so many less one before it. */
  days: z.coerce.number().int('must be a whole number').min(1).max(366).default(30),
  /** Where a day begins. */
  timeZone: z
    .string()
    .max(100)
    .regex(/^[A-Z][\w+-]*(?:\/[\w+-]+)*$/, 'must be the name of a time zone, such as Europe/Rome')
    .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Rome')
    .default('UTC'),
})
export type SpendQuery = z.infer<typeof SpendQuery>

const spent = {
  turns: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  costUsd: z.number(),
  /** Of the turns: those whose agent told no cost. What they cost comes on top, and nobody knows how much. */
  unpriced: z.int(),
}

/** Tokens and dollars of turns, each on the day on which it ended, as far as their agents tell. */
export const Spend = z.object({
  ...spent,
  /** The first day. */
  since: z.iso.date(),
  today: z.iso.date(),
  /** By day in their order, without those on which nothing was spent; else the dearest first. At most 500. */
  parts: z.array(
    z.object({
      day: z.iso.date().optional(),
      agentId: Id.nullable().optional(),
      agentName: z.string().optional(),
      /** Null for what belongs to no task. */
      taskId: Id.nullable().optional(),
      title: z.string().nullable().optional(),
      ...spent,
    }),
  ),
})
export type Spend = z.infer<typeof Spend>
