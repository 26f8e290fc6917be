import type { Context } from 'hono'
import { z } from 'zod'
import type { OpenOptions } from '#events/streams.ts'
import type { Env } from './room.ts'

// What every stream of server-sent events takes and answers.

export const Seq = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an event, a whole number')
  .transform(Number)

/** Where to resume, and a ticket from those who cannot send a header. */
export const resume = {
  headers: z.object({ 'last-event-id': Seq.optional() }),
  query: z.strictObject({ after: Seq.optional(), ticket: z.string().optional() }),
}

export const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

/** Answers with a stream that ends with the right to read it, and when the reader hangs up. */
export async function answerStream(
  c: Context<Env>,
  after: number | undefined,
  open: (options: OpenOptions) => Promise<ReadableStream<Uint8Array>>,
  more: Record<string, string> = {},
) {
  const headers = { ...streamHeaders, ...more }
  // Hono answers HEAD with the same handler, and would leave the stream open behind an answer without a body.
  if (c.req.method === 'HEAD') return c.body(null, 200, headers)
  const { signal } = c.req.raw
  const bytes = await open({ after, whose: c.get('principal').id, until: c.get('until'), signal })
  return c.body(bytes, 200, headers)
}
