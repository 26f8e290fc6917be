import { pino } from 'pino'
import { z } from 'zod'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { Principal } from '#contract/access.ts'
import { AllSettings } from '#contract/settings.ts'
import { openListener } from '#db/listen.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { settings as table } from '#db/schema.ts'
import { owner } from '#domain/access.ts'
import { bareApp } from '../../test/support/bare-app.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { settingsRoutes } from './settings.ts'

const Answer = z.object({
  data: AllSettings.optional(),
  error: z.object({ code: z.string(), context: z.unknown() }).optional(),
})
const log = pino({ level: 'silent' })
const admin: Principal = { id: 'u1', kind: 'user', name: 'Ada', scopes: ['admin'] }
const everythingElse: Principal = {
  ...admin,
  scopes: ['board', 'run', 'tools', 'code', 'chat', 'terminal', 'approve'],
}

async function open() {
  const pool = await freshPool()
  const config = loadConfig({ env: { HOME: '/home/ada', PATH: '/bin', LOG_LEVEL: 'warn' }, cwd: '/' })
  const listener = openListener(pool.url, log)
  const settings = await openLiveSettings({ config, db: pool.db, listener, log })
  onTestFinished(async () => {
    settings.close()
    await listener.close()
  })
  async function ask(method: string, body?: unknown, principal: Principal = owner) {
    const app = bareApp()
      .use(async (c, next) => {
        c.set('principal', principal)
        c.set('log', log)
        await next()
      })
      .route('/', settingsRoutes({ pool, settings }))
    const answer = await app.request('/settings', {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    return { status: answer.status, ...Answer.parse(await answer.json()) }
  }
  return { pool, settings, ask, rows: () => pool.db.select().from(table) }
}

it('changes settings, holds them at once, and gives them back', async () => {
  const { ask, settings, rows } = await open()
  expect((await ask('GET')).data?.logLevel).toMatchObject({ value: 'warn', source: 'environment' })

  const changed = await ask('PATCH', { logLevel: 'debug', maxOutputTokens: 100 })
  expect(changed.status).toBe(200)
  expect(changed.data?.logLevel).toMatchObject({ value: 'debug', source: 'database', updatedBy: 'owner' })
  expect(settings.current()).toMatchObject({ log: { level: 'debug' }, chat: { maxOutputTokens: 100 } })
  expect((await ask('GET')).data).toEqual(changed.data)

  const back = await ask('PATCH', { logLevel: null })
  expect(back.data?.logLevel).toMatchObject({ value: 'warn', source: 'environment' })
  expect(settings.current()).toMatchObject({ log: { level: 'warn' }, chat: { maxOutputTokens: 100 } })
  expect((await rows()).map(({ key }) => key)).toEqual(['maxOutputTokens'])
})

it.each<[string, unknown, string]>([
  ['an unknown key', { maxOutputTokens: 1, colour: 'red' }, 'colour'],
  ['a wrong value', { maxOutputTokens: 1, logLevel: 'loud' }, 'logLevel'],
  ['a number as text', { maxOutputTokens: '5' }, 'maxOutputTokens'],
  ['a time that no timer can wait', { sessionTtlMs: 3_000_000_000 }, 'sessionTtlMs'],
  ['no origin', { corsOrigins: ['*'] }, 'corsOrigins'],
  ['an origin with a path', { corsOrigins: ['https://a.example.com/x'] }, 'corsOrigins'],
  ['values that contradict each other', { maxOutputTokens: 1, staleAfterMs: 6000 }, 'staleAfterMs'],
  ['a list', [], 'body'],
])('refuses %s and writes nothing', async (_, body, field) => {
  const { ask, rows } = await open()
  const { status, error } = await ask('PATCH', body)
  expect(status).toBe(422)
  expect(error).toMatchObject({ code: 'does_not_fit' })
  expect(JSON.stringify(error?.context)).toContain(field)
  expect(await rows()).toEqual([])
})

it('is for those with the scope admin alone', async () => {
  const { ask, rows } = await open()
  expect((await ask('GET', undefined, everythingElse)).status).toBe(403)
  expect((await ask('PATCH', { logLevel: 'debug' }, everythingElse)).status).toBe(403)
  expect(await rows()).toEqual([])
  expect((await ask('PATCH', { logLevel: 'debug' }, admin)).data?.logLevel.updatedBy).toBe('u1')
})

it('takes two changes at once one after the other', async () => {
  const { ask, settings } = await open()
  const answers = await Promise.all([
    ask('PATCH', { heartbeatIntervalMs: 14_000 }),
    ask('PATCH', { staleAfterMs: 11_000 }),
    ask('PATCH', { heartbeatIntervalMs: 13_000 }),
    ask('PATCH', { staleAfterMs: 12_000 }),
  ])
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]))
  const { staleAfterMs, heartbeatIntervalMs } = settings.current().worker
  expect(staleAfterMs).toBeGreaterThanOrEqual(2 * heartbeatIntervalMs)
})
