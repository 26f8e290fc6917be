import { createRoute } from '@hono/zod-openapi'
import type { Config } from '#config/config.ts'
import type { RuleEffect } from '#contract/approval.ts'
import { Execution } from '#contract/execution.ts'
import { OWN_SERVER } from '#contract/keeper-protocol.ts'
import { SpawnAgent } from '#contract/spawn.ts'
import { rulesFor } from '#db/policy-rules.ts'
import { checkScopes } from '#domain/access.ts'
import { configuredRules, decideCall } from '#domain/policy.ts'
import { Problem } from '#domain/problem.ts'
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
    current(): {
      worker: Pick<SpawnRules, 'approvalExpiresMs'>
      budgets: SpawnRules['budgets']
      policies: Config['policies']
    }
  }
}

export function spawnRoutes({ pool, handOver, settings }: Needs) {
  const room = newRoom()

  /** What rules say of the tool that does the same: it is no way around them. */
  async function effectFor(agentId: string): Promise<RuleEffect> {
    const request = { kind: 'tool', tool: 'board.spawn_agent', subject: null, readOnly: false } as const
    const configured = configuredRules(settings.current().policies)
    const rules = await rulesFor(pool.db, agentId)
    const otherNames = [`mcp__${OWN_SERVER}__spawn_agent`, `${OWN_SERVER}.spawn_agent`]
    return decideCall({ policy: 'all', rules, configured, request }, otherNames)
  }

  room.openapi(spawn, async (c) => {
    const by = c.get('principal')
    checkScopes(by, by.agent ? ['board'] : ['run'])
    const effect = by.agent ? await effectFor(by.agent.agentId) : 'allow'
    if (effect === 'deny')
      throw new Problem('tool_refused', 'A rule for board.spawn_agent forbids it to start agents')
    const { worker, budgets } = settings.current()
    const { approvalExpiresMs } = worker
    const rules = { approvalExpiresMs, budgets, needsYes: effect === 'ask' }
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => spawnAgent(tx, by, handOver, wanted, rules))
    return c.json({ data }, 201)
  })

  return room
}
