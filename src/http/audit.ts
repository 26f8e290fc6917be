import { createRoute } from '@hono/zod-openapi'
import { AuditEntry, AuditExport, AuditQuery } from '#contract/audit.ts'
import { Usage, UsageQuery } from '#contract/usage.ts'
import { listAudit, readAudit } from '#db/audit-reads.ts'
import { readUsage } from '#db/usage.ts'
import { answersBytes, answersMany, answersOne } from './answers.ts'
import { auditFile } from './audit-file.ts'
import { requireOneScope } from './auth.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const audit = createRoute({
  method: 'get',
  path: '/audit',
  tags: ['audit'],
  summary:
    'What was done in workspaces and what went out of them, newest first; the owner sees all of it, others that of their own sessions',
  request: { query: AuditQuery },
  responses: answersMany(AuditEntry, 'A page of entries'),
})

const download = createRoute({
  method: 'get',
  path: '/audit/export',
  tags: ['audit'],
  summary: 'The same as a file, whole: a line of JSON for each entry, or a table',
  request: { query: AuditExport },
  responses: answersBytes('application/x-ndjson', 'All entries that fit, newest first'),
})

const usage = createRoute({
  method: 'get',
  path: '/usage',
  tags: ['audit'],
  summary:
    'Calls of tools, their failures and their time, and tokens and dollars of turns; of all sessions that one may see, or of one',
  request: { query: UsageQuery },
  responses: answersOne(Usage, 'All together, and by tool or by session'),
})

export function auditRoutes({ pool }: Pick<Parts, 'pool'>) {
  const room = newRoom()
  for (const path of ['/audit', '/audit/export', '/usage'])
    room.use(path, requireOneScope('run', 'tools', 'board'))

  room.openapi(audit, async (c) => {
    const query = c.req.valid('query')
    const { kind, id } = c.get('principal')
    const { data, total } = await listAudit(pool.db, query, kind === 'owner' ? undefined : id)
    return c.json({ data, meta: { total, page: query.page, pageSize: query.pageSize } }, 200)
  })

  room.openapi(download, (c) => {
    const { format, ...filter } = c.req.valid('query')
    const { kind, id } = c.get('principal')
    const parts = readAudit(pool.db, filter, kind === 'owner' ? undefined : id)
    return auditFile(parts, format)
  })

  room.openapi(usage, async (c) => {
    const { kind, id } = c.get('principal')
    const data = await readUsage(pool.db, c.req.valid('query'), kind === 'owner' ? undefined : id)
    return c.json({ data }, 200)
  })

  return room
}
