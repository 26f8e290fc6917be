import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { AnswerApproval, Approval, ApprovalQuery } from '#contract/approval.ts'
import { Id } from '#contract/text.ts'
import { listApprovals } from '#db/approvals.ts'
import { answerApproval, theApproval } from '#flows/answer-approval.ts'
import { answersMany, answersOne, body } from './answers.ts'
import { requireOneScope, requireScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const params = z.strictObject({ id: Id })
const tags = ['approvals']

const list = createRoute({
  method: 'get',
  path: '/approvals',
  tags,
  summary:
    'List what was asked: with `status=waiting` the riskiest first, else newest first; users see their own sessions',
  request: { query: ApprovalQuery },
  responses: answersMany(Approval, 'A page of approvals'),
})

const read = createRoute({
  method: 'get',
  path: '/approvals/{id}',
  tags,
  summary: 'Read an approval',
  request: { params },
  responses: answersOne(Approval, 'The approval'),
})

const answer = createRoute({
  method: 'post',
  path: '/approvals/{id}',
  tags,
  summary: 'Answer what was asked, once; `remember` (owner only) answers the same way from now on',
  request: { params, ...body(AnswerApproval) },
  responses: answersOne(Approval, 'The approval as it is now'),
})

export function approvalsRoutes({ pool, handOver }: Pick<Parts, 'pool' | 'handOver'>) {
  const room = newRoom()
  room.on('GET', ['/approvals', '/approvals/:id'], requireOneScope('approve', 'run', 'board', 'chat'))
  room.on('POST', '/approvals/:id', requireScope('approve'))

  room.openapi(list, async (c) => {
    const query = c.req.valid('query')
    const { kind, id } = c.get('principal')
    const { data, total } = await listApprovals(pool.db, query, kind === 'owner' ? undefined : id)
    return c.json({ data, meta: { total, page: query.page, pageSize: query.pageSize } }, 200)
  })

  room.openapi(read, async (c) => {
    const { id } = c.req.valid('param')
    return c.json({ data: await theApproval(pool.db, c.get('principal'), id) }, 200)
  })

  room.openapi(answer, async (c) => {
    const { id } = c.req.valid('param')
    const given = c.req.valid('json')
    const data = await pool.transaction((tx) => answerApproval(tx, c.get('principal'), handOver, id, given))
    return c.json({ data }, 200)
  })

  return room
}
