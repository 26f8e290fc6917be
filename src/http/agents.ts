import { createRoute } from '@hono/zod-openapi'
import { Agent } from '#contract/agent.ts'
import { listAgents } from '#db/agents.ts'
import { answersMany } from './answers.ts'
import { requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const list = createRoute({
  method: 'get',
  path: '/agents',
  tags: ['agents'],
  summary: 'List the agents that tasks can be given to',
  responses: answersMany(Agent, 'All agents'),
})

export function agentsRoutes({ pool }: Parts) {
  const room = newRoom()
  room.use('/agents', requireScope('board'))
  room.openapi(list, async (c) => {
    const data = await listAgents(pool.db)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })
  return room
}
