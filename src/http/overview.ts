import { createRoute } from '@hono/zod-openapi'
import { Overview } from '#contract/overview.ts'
import { readOverview } from '#db/overview.ts'
import { answersOne } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const overview = createRoute({
  method: 'get',
  path: '/overview',
  tags: ['sessions'],
  summary: 'What moves, and what went wrong within a day; of all sessions that one may see',
  responses: answersOne(Overview, 'Counts, and the newest failures'),
})

export function overviewRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  room.use('/overview', requireOneScope('run', 'board', 'chat'))
  room.openapi(overview, async (c) => {
    const { kind, id } = c.get('principal')
    return c.json({ data: await readOverview(pool.db, kind === 'owner' ? undefined : id) }, 200)
  })
  return room
}
