import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { StreamEvent } from '#contract/event.ts'
import { Session, SessionQuery } from '#contract/session.ts'
import { Id } from '#contract/text.ts'
import { readEvents, readEventsBefore } from '#db/events.ts'
import { listSessions } from '#db/session-reads.ts'
import { visibleSession } from '#flows/find-execution.ts'
import { answersMany, answersOne, answersStream } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { Seq, answerStream, resume } from './event-stream.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['sessions']

const list = createRoute({
  method: 'get',
  path: '/sessions',
  tags,
  summary:
    'List sessions, those first in which something happened last; the owner sees all of them, others their own',
  request: { query: SessionQuery },
  responses: answersMany(Session, 'A page of sessions'),
})

const read = createRoute({
  method: 'get',
  path: '/sessions/{id}',
  tags,
  summary: 'Read a session',
  request: { params },
  responses: answersOne(Session, 'The session'),
})

const events = createRoute({
  method: 'get',
  path: '/sessions/{id}/events',
  tags,
  summary:
    'What happened in a session after a seq, or the last of what happened before one; as many events as fit into an answer, and none at the end',
  request: {
    params,
    query: z
      .strictObject({
        after: Seq.optional(),
        before: Seq.optional().describe('The last events before this seq, in order'),
        limit: z.coerce.number().int('must be a whole number').min(1).max(1000).default(500),
      })
      .refine(({ after, before }) => after === undefined || before === undefined, {
        path: ['before'],
        message: 'goes the other way than after: give one of them',
      }),
  },
  responses: answersOne(z.array(StreamEvent), 'Events, in order'),
})

const stream = createRoute({
  method: 'get',
  path: '/sessions/{id}/stream',
  tags,
  summary: 'Everything that happens in a session, live; `Last-Event-ID` (or `after`) resumes exactly',
  request: { params, ...resume },
  responses: answersStream('Server-sent events; `id` is the seq, data {seq, executionId, type, payload, at}'),
})

export function sessionsRoutes({ pool, streams }: Pick<Parts, 'pool' | 'streams'>) {
  const room = newRoom()
  const mayRead = requireOneScope('run', 'board', 'chat')
  for (const path of ['/sessions', '/sessions/:id', '/sessions/:id/events', '/sessions/:id/stream'])
    room.use(path, mayRead)

  room.openapi(list, async (c) => {
    const query = c.req.valid('query')
    const { kind, id } = c.get('principal')
    const { data, total } = await listSessions(pool.db, query, kind === 'owner' ? undefined : id)
    return c.json({ data, meta: { total, page: query.page, pageSize: query.pageSize } }, 200)
  })

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    return c.json({ data: await visibleSession(pool.db, c.get('principal'), id) }, 200)
  })

  room.openapi(events, async (c) => {
    const { id } = c.req.valid('param')
    const { after, before, limit } = c.req.valid('query')
    await visibleSession(pool.db, c.get('principal'), id)
    const page =
      before === undefined
        ? (await readEvents(pool.db, id, after ?? 0, limit)).events
        : await readEventsBefore(pool.db, id, before, limit)
    const data = page.map(({ seq, executionId, type, payload, at }) => ({
      seq,
      executionId,
      type,
      payload: JSON.parse(payload) as unknown,
      at: at.toISOString(),
    }))
    return c.json({ data }, 200)
  })

  room.openapi(stream, async (c) => {
    const { id } = c.req.valid('param')
    const after = c.req.valid('header')['last-event-id'] ?? c.req.valid('query').after
    await visibleSession(pool.db, c.get('principal'), id)
    return answerStream(c, after, (options) => streams.open(id, options))
  })

  return room
}
