import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Capability, CreateCapability, EditCapability } from '#contract/capability.ts'
import { Id } from '#contract/text.ts'
import { listCapabilities } from '#db/capabilities.ts'
import { createCapability } from '#flows/create-capability.ts'
import { deleteCapability } from '#flows/delete-capability.ts'
import { editCapability } from '#flows/edit-capability.ts'
import { theAgent, theCapability } from '#flows/find-agent.ts'
import { answersCreated, answersMany, answersNothing, answersOne, body } from './answers.ts'
import { requireOneScope, requireOwner } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const ofAgent = z.strictObject({ id: Id })
const params = z.strictObject({ id: Id, capabilityId: Id })
const tags = ['agents']
const all = '/agents/{id}/capabilities'
const one = '/agents/{id}/capabilities/{capabilityId}'

const list = createRoute({
  method: 'get',
  path: all,
  tags,
  summary: 'List what an agent can be asked for',
  request: { params: ofAgent },
  responses: answersMany(Capability, 'All its capabilities'),
})

const create = createRoute({
  method: 'post',
  path: all,
  tags,
  summary: 'Say what an agent can be asked for',
  request: { params: ofAgent, ...body(CreateCapability) },
  responses: answersCreated(Capability, 'The new capability'),
})

const read = createRoute({
  method: 'get',
  path: one,
  tags,
  summary: 'Read a capability',
  request: { params },
  responses: answersOne(Capability, 'The capability'),
})

const edit = createRoute({
  method: 'patch',
  path: one,
  tags,
  summary: 'Change a capability; what waits already is started as it is then',
  request: { params, ...body(EditCapability) },
  responses: answersOne(Capability, 'The capability as it is now'),
})

const remove = createRoute({
  method: 'delete',
  path: one,
  tags,
  summary: 'Delete a capability; what was done with it stays',
  request: { params },
  responses: answersNothing('It is gone'),
})

export function capabilitiesRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  const paths = ['/agents/:id/capabilities', '/agents/:id/capabilities/:capabilityId']
  room.on('GET', paths, requireOneScope('board', 'run'))
  room.on(['POST', 'PATCH', 'DELETE'], paths, requireOwner)

  room.openapi(list, async (c) => {
    const { id } = c.req.valid('param')
    await theAgent(pool.db, id)
    const data = await listCapabilities(pool.db, id)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(create, async (c) => {
    const { id } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => createCapability(tx, id, wanted))
    return c.json({ data }, 201)
  })

  room.openapi(read, async (c) => {
    const { id, capabilityId } = c.req.valid('param')
    return c.json({ data: await theCapability(pool.db, id, capabilityId) }, 200)
  })

  room.openapi(edit, async (c) => {
    const { id, capabilityId } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => editCapability(tx, id, capabilityId, wanted))
    return c.json({ data }, 200)
  })

  room.openapi(remove, async (c) => {
    const { id, capabilityId } = c.req.valid('param')
    await pool.transaction((tx) => deleteCapability(tx, id, capabilityId))
    return c.body(null, 204)
  })

  return room
}
