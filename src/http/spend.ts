import { createRoute } from '@hono/zod-openapi'
import { Spend, SpendQuery } from '#contract/spend.ts'
import { readSpend } from '#db/spend.ts'
import { answersOne } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const spend = createRoute({
  method: 'get',
  path: '/usage/spend',
  tags: ['audit'],
  summary: 'Tokens and dollars of turns by day, agent or task, of all sessions that one may see',
  request: { query: SpendQuery },
  responses: answersOne(Spend, 'All together, and by day, agent or task'),
})

export function spendRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  room.use('/usage/spend', requireOneScope('run', 'board', 'chat'))
  room.openapi(spend, async (c) => {
    const { kind, id } = c.get('principal')
    const data = await readSpend(pool.db, c.req.valid('query'), kind === 'owner' ? undefined : id)
    return c.json({ data }, 200)
  })
  return room
}
