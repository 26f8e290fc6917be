import { createRoute } from '@hono/zod-openapi'
import { z } from 'zod'
import { Problem } from '#domain/problem.ts'
import { answersOne } from './answers.ts'
import { newRoom } from './room.ts'
import type { Parts } from './room.ts'

const Health = z.object({ status: z.literal('ok'), version: z.string(), database: z.literal('ok') })

const health = createRoute({
  method: 'get',
  path: '/health',
  tags: ['health'],
  summary: 'Whether it serves and reaches its database; needs no token',
  security: [],
  responses: answersOne(Health, 'All is well'),
})

export function healthRoutes({ pool, version }: Pick<Parts, 'pool' | 'version'>) {
  const room = newRoom()
  room.openapi(health, async (c) => {
    const answered = await pool.db.execute('select 1').catch(() => undefined)
    if (!answered) throw new Problem('database_unavailable', 'The database does not answer')
    return c.json({ data: { status: 'ok' as const, version, database: 'ok' as const } }, 200)
  })
  return room
}
