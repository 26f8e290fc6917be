import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Id } from '#contract/text.ts'
import { openRawLog } from '#events/raw-log.ts'
import { executionWithOutput } from '#flows/find-execution.ts'
import { answersStream, answersText } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { answerStream, resume } from './event-stream.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['executions']

const text = createRoute({
  method: 'get',
  path: '/executions/{id}/logs',
  tags,
  summary: 'Everything an execution has said until now, byte for byte',
  request: { params, query: z.strictObject({ download: z.enum(['0', '1']).optional() }) },
  responses: answersText('Its output: stdout, stderr and what Signalbox itself says, as they came'),
})

const stream = createRoute({
  method: 'get',
  path: '/executions/{id}/logs/stream',
  tags,
  summary: 'The log of an execution, live, until it has ended; `Last-Event-ID` (or `after`) resumes exactly',
  request: { params, ...resume },
  responses: answersStream(
    'Server-sent events: status {status}, catchup {content}, log {content, stream}, done {status, exitCode, error}, error {message}',
  ),
})

export function executionLogsRoutes({ pool, streams }: Pick<Parts, 'pool' | 'streams'>) {
  const room = newRoom()
  const mayRead = requireOneScope('run', 'board')
  room.use('/executions/:id/logs', mayRead)
  room.use('/executions/:id/logs/stream', mayRead)

  room.openapi(text, async (c) => {
    const { id } = c.req.valid('param')
    const execution = await executionWithOutput(pool.db, c.get('principal'), id)
    const headers = {
      'Content-Type': 'text/plain; charset=utf-8',
      'X-Accel-Buffering': 'no',
      ...(c.req.valid('query').download === '1' && {
        'Content-Disposition': `attachment; filename="execution-${id}.log"`,
      }),
    }
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    return c.body(await openRawLog(pool.db, execution), 200, headers)
  })

  room.openapi(stream, async (c) => {
    const { id } = c.req.valid('param')
    const after = c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after
    const execution = await executionWithOutput(pool.db, c.get('principal'), id)
    return answerStream(c, after, (options) => streams.openLog(execution, options))
  })

  return room
}
