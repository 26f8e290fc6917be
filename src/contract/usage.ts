import { z } from 'zod'
import { Id } from './text.ts'

export const UsageQuery = z.strictObject({
  sessionId: Id.optional(),
  /** What the figures are told for: each tool, or each session. */
  by: z.enum(['tool', 'session']).default('tool'),
})
export type UsageQuery = z.infer<typeof UsageQuery>

const calls = {
  calls: z.int(),
  /** Of these: not allowed, or not possible. */
  refused: z.int(),
  /** Of these: began, and came to nothing. */
  failed: z.int(),
  /** All of them together. */
  durationMs: z.number(),
}
const spent = { inputTokens: z.int(), outputTokens: z.int(), costUsd: z.number() }

/** Calls of tools, as long as they are remembered; tokens and dollars of turns, as far as their agents tell. */
export const Usage = z.object({
  ...calls,
  ...spent,
  /** The most used first; at most 500. */
  parts: z.array(
    z.object({
      tool: z.string().optional(),
      sessionId: Id.optional(),
      ...calls,
      ...z.object(spent).partial().shape,
    }),
  ),
})
export type Usage = z.infer<typeof Usage>
