import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import type { Config } from '#config/config.ts'
import {
  ConfiguredRule,
  CreateRule,
  EditRule,
  PolicyRule,
  PolicyVerdict,
  TryPolicy,
} from '#contract/approval.ts'
import { Id } from '#contract/text.ts'
import { listRules } from '#db/policy-rules.ts'
import { configuredRules } from '#domain/policy.ts'
import { createRule } from '#flows/create-rule.ts'
import { deleteRule } from '#flows/delete-rule.ts'
import { editRule } from '#flows/edit-rule.ts'
import { tryPolicy } from '#flows/try-policy.ts'
import { answersCreated, answersMany, answersNothing, answersOne, body } from './answers.ts'
import { requireOwner, requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const tags = ['approvals']
const params = z.strictObject({ id: Id })

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

const edit = createRoute({
  method: 'patch',
  path: '/policies/rules/{id}',
  tags,
  summary: 'Change a rule; what was answered by it stays answered',
  request: { params, ...body(EditRule) },
  responses: answersOne(PolicyRule, 'The rule as it is now'),
})

const configured = createRoute({
  method: 'get',
  path: '/policies/configured',
  tags,
  summary: 'The rules of the configuration file, in their order; they come after the others',
  responses: answersMany(ConfiguredRule, 'All of them'),
})

const attempt = createRoute({
  method: 'post',
  path: '/policies/try',
  tags,
  summary: 'What would be answered without a person, and by which rule; nothing is asked and nothing changes',
  request: body(TryPolicy),
  responses: answersOne(PolicyVerdict, 'What would be answered'),
})

const remove = createRoute({
  method: 'delete',
  path: '/policies/rules/{id}',
  tags,
  summary: 'Delete a rule; what was answered by it stays answered',
  request: { params },
  responses: answersNothing('It is gone'),
})

interface PolicyParts {
  pool: Parts['pool']
  settings: { current(): Pick<Config, 'policies'> }
}

export function policiesRoutes({ pool, settings }: PolicyParts) {
  const room = newRoom()
  room.on('GET', '/policies/rules', requireScope('approve'))
  room.on('POST', '/policies/rules', requireOwner)
  room.on(['DELETE', 'PATCH'], '/policies/rules/:id', requireOwner)
  room.use('/policies/configured', requireScope('approve'))
  room.use('/policies/try', requireScope('approve'))

  room.openapi(list, async (c) => {
    const data = await listRules(pool.db)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(create, async (c) => {
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => createRule(tx, c.get('principal'), wanted))
    return c.json({ data }, 201)
  })

  room.openapi(edit, async (c) => {
    const { id } = c.req.valid('param')
    const wanted = c.req.valid('json')
    const data = await pool.transaction((tx) => editRule(tx, c.get('principal'), id, wanted))
    return c.json({ data }, 200)
  })

  room.openapi(configured, (c) => {
    const data = configuredRules(settings.current().policies)
    return c.json({ data, meta: { total: data.length, page: 1, pageSize: data.length } }, 200)
  })

  room.openapi(attempt, async (c) => {
    const rules = configuredRules(settings.current().policies)
    return c.json({ data: await tryPolicy(pool.db, c.req.valid('json'), rules) }, 200)
  })

  room.openapi(remove, async (c) => {
    const { id } = c.req.valid('param')
    await pool.transaction((tx) => deleteRule(tx, c.get('principal'), id))
    return c.body(null, 204)
  })

  return room
}
