import { createRoute } from '@hono/zod-openapi'
import type { AskModels } from '#contract/internal.ts'
import { AvailableModels, CheckedModels, ModelsQuery } from '#contract/model.ts'
import { chooseMachine } from '#flows/choose-machine.ts'
import { answersOne } from './answers.ts'
import { requireOneScope } from './auth.ts'
import { askMachine } from './machine-answers.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['models']
const request = { query: ModelsQuery }

const available = createRoute({
  method: 'get',
  path: '/models/available',
  tags,
  summary: 'The models that can be talked to now, as their providers list them',
  request,
  responses: answersOne(AvailableModels, 'The models, and which one is asked when nobody says which'),
})

const check = createRoute({
  method: 'get',
  path: '/models/check',
  tags,
  summary: 'Whether each provider can be asked, and what is missing where it cannot',
  request,
  responses: answersOne(CheckedModels, 'All providers'),
})

/** Longer than the worker gives the providers. */
const patienceMs = 15_000

export function modelsRoutes(parts: Pick<Parts, 'pool' | 'machineId'>) {
  const { pool } = parts
  const room = newRoom()
  room.use('/models/*', requireOneScope('chat', 'run'))

  /** Keys are a machine's own: it alone can ask with them. */
  const machineOf = ({ machineId }: ModelsQuery) => chooseMachine(pool.db, machineId, parts.machineId)

  room.openapi(available, async (c) => {
    const query = c.req.valid('query')
    const [path, signal] = ['/models/available', AbortSignal.timeout(patienceMs)]
    const machine = await machineOf(query)
    const data = await askMachine(pool.db, machine, path, asked(query), AvailableModels, signal)
    return c.json({ data }, 200)
  })

  room.openapi(check, async (c) => {
    const query = c.req.valid('query')
    const [path, signal] = ['/models/check', AbortSignal.timeout(patienceMs)]
    const machine = await machineOf(query)
    const data = await askMachine(pool.db, machine, path, asked(query), CheckedModels, signal)
    return c.json({ data }, 200)
  })

  return room
}

const asked = ({ fresh }: ModelsQuery): AskModels => ({ isFresh: fresh === '1' || fresh === 'true' })
