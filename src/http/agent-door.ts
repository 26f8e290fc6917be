import type { MiddlewareHandler } from 'hono'
import { liveExecutionOf } from '#domain/access.ts'
import { Problem } from '#domain/problem.ts'
import type { Env } from './room.ts'

/** All that an agent's token opens. What is not here is closed, whatever its scopes would say; scopes are asked as well. */
const openToAgents: readonly [method: string, path: RegExp][] = [
  ['GET', /^\/(?:auth\/whoami|openapi\.json)$/],
  ['GET', /^\/tasks(?:\/[^/]+(?:\/events)?)?$/],
  ['POST', /^\/tasks(?:\/[^/]+\/(?:reorder|dependencies))?$/],
  ['PATCH', /^\/tasks\/[^/]+$/],
  ['DELETE', /^\/tasks\/[^/]+\/dependencies$/],
  ['GET', /^\/agents(?:\/(?!presets$)[^/]+(?:\/capabilities(?:\/[^/]+)?)?)?$/],
  ['POST', /^\/agents\/spawn$/],
  ['GET', /^\/tools(?:\/api\.d\.ts)?$/],
  ['POST', /^\/tools\/[^/]+\/call$/],
  // In its own name, and by its own grants; what has to be asked is asked as for any other call of its tools.
  ['POST', /^\/execute(?:\/check)?$/],
  ['GET', /^\/execute\/(?!(?:ws|tokens)$)[^/]+$/],
  ['DELETE', /^\/execute\/(?!ws$)[^/]+$/],
  ['GET', /^\/sessions\/[^/]+\/tools\/health$/],
  // What changes something is asked about, and that is done by the registry alone: `workspace.write_file` and the others.
  ['POST', /^\/sessions\/[^/]+\/tools\/(?:list|read|search)$/],
]

/** Lets an agent on where agents may go, and nothing be done in its name when none of its executions is under way. */
export const agentDoor: MiddlewareHandler<Env> = async (c, next) => {
  const { agent } = c.get('principal')
  if (agent) {
    const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
    const path = c.req.path.replace(/^\/api(?:\/v1)?(?=\/)/, '')
    if (!openToAgents.some(([allowed, paths]) => allowed === method && paths.test(path)))
      throw new Problem('forbidden', "This is not for agents: only a person's token opens it", {
        missing: ['person'],
      })
    if (method !== 'GET') liveExecutionOf(agent)
  }
  await next()
}
