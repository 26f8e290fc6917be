import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { BOARD_STREAM } from '#contract/event.ts'
import { answersStream } from './answers.ts'
import { requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const Seq = z
  .string()
  .regex(/^\d{1,15}$/, 'must be the id of an event, a whole number')
  .transform(Number)

const board = createRoute({
  method: 'get',
  path: '/sse/board',
  tags: ['events'],
  summary: 'Everything that happens on the board, live; `Last-Event-ID` (or `after`) resumes exactly',
  request: {
    headers: z.object({ 'last-event-id': Seq.optional() }),
    query: z.strictObject({ after: Seq.optional(), ticket: z.string().optional() }),
  },
  responses: answersStream('Server-sent events; `id` is the seq, data {seq, executionId, type, payload, at}'),
})

const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}

export function boardStreamRoutes({ streams }: Pick<Parts, 'streams'>) {
  const room = newRoom()
  room.use('/sse/board', requireScope('board'))
  room.openapi(board, async (c) => {
    // Hono answers HEAD with the same handler, and would leave the stream open behind an answer without a body.
    if (c.req.method === 'HEAD') return c.body(null, 200, streamHeaders)
    const after = c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after
    const { signal } = c.req.raw
    return c.body(
      await streams.open(BOARD_STREAM, {
        after,
        whose: c.get('principal').id,
        until: c.get('until'),
        signal,
      }),
      200,
      streamHeaders,
    )
  })
  return room
}
