import { expect, it } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { Principal } from '#contract/access.ts'
import { owner } from '#domain/access.ts'
import { newId } from '#lib/id.ts'
import { bareApp } from '../../test/support/bare-app.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { aboutRoutes } from './about.ts'

it('tells places and database to those who may see settings, and to nobody else', async () => {
  const pool = await freshPool()
  const base = loadConfig({ env: { HOME: '/home/ada', PATH: '/bin' }, cwd: '/' })
  const machineId = newId()
  const settings = { base } as Parameters<typeof aboutRoutes>[0]['settings']
  const ask = async (by: Principal) => {
    const app = bareApp()
      .use(async (c, next) => {
        c.set('principal', by)
        await next()
      })
      .route('/', aboutRoutes({ pool, settings, version: '1.2.3', machineId }))
    const answer = await app.request('/about')
    return { status: answer.status, body: (await answer.json()) as object }
  }
  const told = await ask(owner)
  expect(told).toMatchObject({
    status: 200,
    body: {
      data: {
        version: '1.2.3',
        machineId,
        home: '/home/ada/.signalbox',
        database: { kind: 'outside', migration: expect.stringMatching(/^\d{4}_/) },
      },
    },
  })
  expect(JSON.stringify(told.body)).not.toContain('postgres://')
  const user: Principal = { id: newId(), kind: 'user', name: 'Ada', scopes: ['board', 'run'] }
  expect((await ask(user)).status).toBe(403)
})
