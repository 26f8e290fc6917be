import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '#config/config.ts'
import type { Config } from '#config/config.ts'
import { freshDatabase, freshPool } from '../../test/support/postgres.ts'
import { openListener } from './listen.ts'
import { openLiveSettings } from './live-settings.ts'
import { openPool } from './pool.ts'
import type { DatabasePool, Tx } from './pool.ts'
import { removeSettings, saveSettings, tellSettings } from './settings.ts'

const config = loadConfig({ env: { HOME: '/home/ada', PATH: '/bin' }, cwd: '/' })

function openWatched(pool: DatabasePool, url: string) {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const listener = openListener(url, pino({ level: 'silent' }))
  const opening = openLiveSettings({ config, db: pool.db, listener, log })
  onTestFinished(async () => {
    ;(await opening).close()
    await listener.close()
  })
  return { opening, lines }
}

const write = (
  pool: DatabasePool,
  key: string,
  value: unknown,
  then: (tx: Tx) => Promise<void> = tellSettings,
) =>
  pool.transaction(async (tx) => {
    await saveSettings(tx, 'owner', [[key, value]])
    await then(tx)
  })
const untold = async () => undefined

const nextChange = (live: Awaited<ReturnType<typeof openLiveSettings>>) =>
  new Promise<Config>((resolve) => {
    const end = live.onChange((now) => {
      end()
      resolve(now)
    })
  })

it('follows what another process writes', async () => {
  const pool = await freshPool()
  const live = await openWatched(pool, pool.url).opening
  const changed = nextChange(live)
  await write(pool, 'logLevel', 'debug')
  expect((await changed).log.level).toBe('debug')
  expect(live.current().log.level).toBe('debug')
  const back = nextChange(live)
  await pool.transaction(async (tx) => {
    await removeSettings(tx, ['logLevel'])
    await tellSettings(tx)
  })
  expect((await back).log.level).toBe('info')
})

it('starts with what is written already', async () => {
  const pool = await freshPool()
  await write(pool, 'maxOutputTokens', 5, untold)
  expect((await openWatched(pool, pool.url).opening).current().chat.maxOutputTokens).toBe(5)
})

it('reads again on SIGHUP, and from time to time, although nobody told it', async () => {
  const pool = await freshPool()
  const deaf = { on: () => () => undefined, onReconnect: () => () => undefined }
  const open = async (everyMs: number) => {
    const live = await openLiveSettings({
      config,
      db: pool.db,
      listener: deaf,
      log: pino({ level: 'silent' }),
      everyMs,
    })
    onTestFinished(() => live.close())
    return live
  }
  const [onHup, inTime] = await Promise.all([open(60_000), open(20)])
  const seen = nextChange(inTime)
  await write(pool, 'maxOutputTokens', 5, untold)
  expect((await seen).chat.maxOutputTokens).toBe(5)
  expect(onHup.current().chat.maxOutputTokens).toBe(8192)
  const heard = nextChange(onHup)
  process.emit('SIGHUP')
  expect((await heard).chat.maxOutputTokens).toBe(5)
})

it('ignores rows that do not fit, says so once, and takes the others', async () => {
  const pool = await freshPool()
  await write(pool, 'logLevel', { level: 'debug' }, untold)
  await write(pool, 'fromAnotherVersion', 1, untold)
  await write(pool, 'maxOutputTokens', 5, untold)
  const { opening, lines } = openWatched(pool, pool.url)
  const live = await opening
  await live.refresh()
  expect(live.current()).toMatchObject({ log: { level: 'info' }, chat: { maxOutputTokens: 5 } })
  expect(lines.map(({ setting }) => setting)).toEqual(['fromAnotherVersion', 'logLevel'])
})

it('keeps the last known while the database is away, says so once, and catches up', async () => {
  const database = await freshDatabase()
  const pool = openPool(database.url, { max: 2 })
  onTestFinished(async () => {
    await pool.close()
    await database.drop()
  })
  await write(pool, 'maxOutputTokens', 5, untold)
  const { opening, lines } = openWatched(pool, database.url)
  const live = await opening
  // As good as away for this reader: its table is not there.
  await pool.db.execute(sql`alter table settings rename to settings_away`)
  await live.refresh()
  await live.refresh()
  expect(live.current().chat.maxOutputTokens).toBe(5)
  expect(lines).toHaveLength(1)
  await pool.db.execute(sql`alter table settings_away rename to settings`)
  await write(pool, 'maxOutputTokens', 6, untold)
  await live.refresh()
  expect(live.current().chat.maxOutputTokens).toBe(6)
  expect(lines.map(({ msg }) => msg)).toEqual([
    'settings cannot be read, the last known ones hold',
    'settings can be read again',
  ])
})

it('opens without a database at all', async () => {
  const gone = await freshDatabase()
  await gone.drop()
  const pool = openPool(gone.url)
  onTestFinished(() => pool.close())
  const { opening, lines } = openWatched(pool, gone.url)
  expect((await opening).current()).toEqual(config)
  expect(lines).toHaveLength(1)
})

it('does not let one listener that throws keep the news from others', async () => {
  const pool = await freshPool()
  const live = await openWatched(pool, pool.url).opening
  live.onChange(() => {
    throw new Error('mine')
  })
  const heard = vi.fn<(now: Config) => void>()
  live.onChange(heard)
  await write(pool, 'logLevel', 'debug', untold)
  await live.refresh()
  await live.refresh()
  expect(heard).toHaveBeenCalledOnce()
})
