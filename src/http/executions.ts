import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Execution, ExecutionQuery, SendMessage, StartExecution } from '#contract/execution.ts'
import { Id } from '#contract/text.ts'
import { asExecution, listExecutions } from '#db/executions.ts'
import { cancelExecution } from '#flows/cancel-execution.ts'
import { visibleExecution } from '#flows/find-execution.ts'
import { interruptExecution } from '#flows/interrupt-execution.ts'
import { sendMessage } from '#flows/send-message.ts'
import { startExecution } from '#flows/start-execution.ts'
import { answersAccepted, answersCreated, answersMany, answersOne, body } from './answers.ts'
import { requireOneScope, requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['executions']

const list = createRoute({
  method: 'get',
  path: '/executions',
  tags,
  summary: 'List executions, newest first; users see those of their own sessions',
  request: { query: ExecutionQuery },
  responses: answersMany(Execution, 'A page of executions'),
})

const start = createRoute({
  method: 'post',
  path: '/executions',
  tags,
  summary: 'Ask an agent for something, in a new session or as the next turn of one',
  request: body(StartExecution),
  responses: answersCreated(Execution, 'It waits for its machine, or for a yes to something dangerous'),
})

const read = createRoute({
  method: 'get',
  path: '/executions/{id}',
  tags,
  summary: 'Read an execution',
  request: { params },
  responses: answersOne(Execution, 'The execution'),
})

const cancel = createRoute({
  method: 'post',
  path: '/executions/{id}/cancel',
  tags,
  summary: 'End an execution: at once while it waits, else as soon as its processes are proven dead',
  request: { params },
  responses: answersAccepted(Execution, 'It is cancelled, or being cancelled'),
})

const message = createRoute({
  method: 'post',
  path: '/executions/{id}/messages',
  tags,
  summary: 'Say something to an agent; to an execution that is over it opens the next one of its session',
  request: { params, ...body(SendMessage) },
  responses: answersOne(z.object({ executionId: Id }), 'The execution that takes it'),
})

const interrupt = createRoute({
  method: 'post',
  path: '/executions/{id}/interrupt',
  tags,
  summary: 'Let an agent stop what it does, and listen',
  request: { params },
  responses: answersAccepted(Execution, 'It will be told'),
})

interface Needs extends Pick<Parts, 'pool' | 'handOver'> {
  settings: { current(): { worker: { approvalExpiresMs: number } } }
}

export function executionsRoutes({ pool, handOver, settings }: Needs) {
  const room = newRoom()
  const rules = () => settings.current().worker
  room.on('GET', ['/executions', '/executions/:id'], requireOneScope('run', 'board', 'chat'))
  room.on('POST', ['/executions', '/executions/:id/*'], requireScope('run'))

  room.openapi(list, async (c) => {
    const query = c.req.valid('query')
    const { kind, id } = c.get('principal')
    const { data, total } = await listExecutions(pool.db, query, kind === 'owner' ? undefined : id)
    return c.json({ data, meta: { total, page: query.page, pageSize: query.pageSize } }, 200)
  })

  room.openapi(start, async (c) => {
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) =>
      startExecution(tx, c.get('principal'), handOver, wanted, rules()),
    )
    return c.json({ data }, 201)
  })

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    return c.json({ data: asExecution(await visibleExecution(pool.db, c.get('principal'), id)) }, 200)
  })

  room.openapi(cancel, async (c) => {
    const { id } = c.req.valid('param')
    const data = await pool.transaction((tx) => cancelExecution(tx, c.get('principal'), handOver, id))
    return c.json({ data }, 202)
  })

  room.openapi(message, async (c) => {
    const { id } = c.req.valid('param')
    const said = c.req.valid('json')
    const executionId = await pool.transaction((tx) =>
      sendMessage(tx, c.get('principal'), handOver, id, said, rules()),
    )
    return c.json({ data: { executionId } }, 200)
  })

  room.openapi(interrupt, async (c) => {
    const { id } = c.req.valid('param')
    const data = await pool.transaction((tx) => interruptExecution(tx, c.get('principal'), id))
    return c.json({ data }, 202)
  })

  return room
}
