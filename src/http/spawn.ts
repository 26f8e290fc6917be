import { createRoute } from '@hono/zod-openapi'
import { Execution } from '#contract/execution.ts'
import { SpawnAgent } from '#contract/spawn.ts'
import { checkScopes } from '#domain/access.ts'
import { spawnAgent } from '#flows/spawn-agent.ts'
import type { SpawnRules } from '#flows/spawn-agent.ts'
import { answersCreated, body } from './answers.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const spawn = createRoute({
  method: 'post',
  path: '/agents/spawn',
  tags: ['agents'],
  summary:
    'Set an agent to work in a session of its own. What an agent starts is held to limits: how deep, how often, how many, and what it may cost',
  request: body(SpawnAgent),
  responses: answersCreated(Execution, 'It waits for its machine, or for a yes of a person'),
})

interface Needs extends Pick<Parts, 'pool' | 'handOver'> {
  settings: {
    current(): { worker: Pick<SpawnRules, 'approvalExpiresMs'>; budgets: SpawnRules['budgets'] }
  }
}

export function spawnRoutes({ pool, handOver, settings }: Needs) {
  const room = newRoom()

  room.openapi(spawn, async (c) => {
    const by = c.get('principal')
    checkScopes(by, by.agent ? ['board'] : ['run'])
    const { worker, budgets } = settings.current()
    const rules = { approvalExpiresMs: worker.approvalExpiresMs, budgets }
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => spawnAgent(tx, by, handOver, wanted, rules))
    return c.json({ data }, 201)
  })

  return room
}
