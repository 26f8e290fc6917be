import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '#config/config.ts'
import { openListener } from '#db/listen.ts'
import { SETTINGS_CHANNEL } from '#db/settings.ts'
import { owner } from '#domain/access.ts'
import { freshPool } from '../../test/support/postgres.ts'
import { changeSettings } from './change-settings.ts'

const config = loadConfig({ env: { HOME: '/home/ada', PATH: '/bin' }, cwd: '/' })

it('lets one change wait for the other, so that they cannot contradict each other', async () => {
  const pool = await freshPool()
  const changed = Promise.withResolvers<void>()
  const maySave = Promise.withResolvers<void>()
  const first = pool.transaction(async (tx) => {
    await changeSettings(tx, owner, config, { heartbeatIntervalMs: 14_000 })
    changed.resolve()
    await maySave.promise
  })
  await changed.promise
  const second = pool.transaction((tx) => changeSettings(tx, owner, config, { staleAfterMs: 11_000 }))
  const refused = second.catch((error: unknown) => error)
  await expect
    .poll(async () => {
      const waiting = sql`select from pg_locks where relation = 'settings'::regclass and not granted`
      return (await pool.db.execute(waiting)).rowCount
    })
    .toBe(1)
  maySave.resolve()
  await first
  expect(String(await refused)).toMatch(/staleAfterMs must be at least twice/)
})

it('tells the other processes', async () => {
  const pool = await freshPool()
  const listener = openListener(pool.url, pino({ level: 'silent' }))
  onTestFinished(() => listener.close())
  const heard = new Promise((resolve) => listener.on(SETTINGS_CHANNEL, resolve))
  await new Promise<void>((resolve) => listener.onReconnect(resolve))
  await pool.transaction((tx) => changeSettings(tx, owner, config, { logLevel: 'debug' }))
  await heard
  expect(await pool.db.execute('select key from settings')).toMatchObject({ rows: [{ key: 'logLevel' }] })
})
