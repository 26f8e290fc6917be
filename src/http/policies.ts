import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { CreateRule, PolicyRule } from '#contract/approval.ts'
import { Id } from '#contract/text.ts'
import { listRules } from '#db/policy-rules.ts'
import { createRule } from '#flows/create-rule.ts'
import { deleteRule } from '#flows/delete-rule.ts'
import { answersCreated, answersMany, answersNothing, body } from './answers.ts'
import { requireOwner, requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['approvals']

const list = createRoute({
  method: 'get',
  path: '/policies/rules',
  tags,
  summary: 'List the rules by which questions are answered without a person, newest first',
  responses: answersMany(PolicyRule, 'All rules'),
})

const create = createRoute({
  method: 'post',
  path: '/policies/rules',
  tags,
  summary: 'Answer something without a person from now on; what waits already still waits',
  request: body(CreateRule),
  responses: answersCreated(PolicyRule, 'The new rule'),
})

const remove = createRoute({
  method: 'delete',
  path: '/policies/rules/{id}',
  tags,
  summary: 'Delete a rule; what was answered by it stays answered',
  request: { params: z.strictObject({ id: Id }) },
  responses: answersNothing('It is gone'),
})

export function policiesRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  room.on('GET', '/policies/rules', requireScope('approve'))
  room.on('POST', '/policies/rules', requireOwner)
  room.on('DELETE', '/policies/rules/:id', requireOwner)

  room.openapi(list, async (c) => {
    const data = await listRules(pool.db)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(create, async (c) => {
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => createRule(tx, c.get('principal'), wanted))
    return c.json({ data }, 201)
  })

  room.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => deleteRule(tx, id))
    return c.body(null, 204)
  })

  return room
}
