import { createRoute } from '@hono/zod-openapi'
import { BOARD_STREAM } from '#contract/event.ts'
import { answersStream } from './answers.ts'
import { requireScope } from './auth.ts'
import { answerStream, resume } from './event-stream.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const board = createRoute({
  method: 'get',
  path: '/sse/board',
  tags: ['events'],
  summary: 'Everything that happens on the board, live; `Last-Event-ID` (or `after`) resumes exactly',
  request: resume,
  responses: answersStream('Server-sent events; `id` is the seq, data {seq, executionId, type, payload, at}'),
})

export function boardStreamRoutes({ streams }: Pick<Parts, 'streams'>) {
  const room = newRoom()
  room.use('/sse/board', requireScope('board'))
  room.openapi(board, (c) => {
    const after = c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after
    return answerStream(c, after, (options) => streams.open(BOARD_STREAM, options))
  })
  return room
}
