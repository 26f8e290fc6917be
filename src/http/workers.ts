import { createRoute } from '@hono/zod-openapi'
import { WorkerStatus } from '#contract/machine.ts'
import { workerStatuses } from '#db/machines.ts'
import { answersMany } from './answers.ts'
import { requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const status = createRoute({
  method: 'get',
  path: '/workers/status',
  tags: ['machines'],
  summary: 'The worker of every machine: whether it is up, what it does, and how much waits for it',
  responses: answersMany(WorkerStatus, 'All workers'),
})

interface WorkerParts {
  pool: Parts['pool']
  settings: { current(): { worker: { staleAfterMs: number } } }
}

export function workersRoutes({ pool, settings }: WorkerParts) {
  const room = newRoom()
  room.use('/workers/status', requireScope('board'))
  room.openapi(status, async (c) => {
    const data = await workerStatuses(pool.db, settings.current().worker.staleAfterMs)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })
  return room
}
