import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { withSettings } from '#domain/settings.ts'
import type { Listener } from './listen.ts'
import type { Database } from './pool.ts'
import { SETTINGS_CHANNEL, readSettings } from './settings.ts'

const MINUTE = 60_000

/** The configuration of this process as it is now: with the database's settings over file and environment. */
export interface LiveSettings {
  /** What holds without the database. */
  readonly base: Config
  /** Never waits and never fails: while the database is away, the last known holds. */
  current(): Config
  /** Calls `changed` after every change; answers with a function that ends it. */
  onChange(changed: (now: Config, before: Config) => void): () => void
  /** Reads the table now. Does not reject when the database is away. */
  refresh(): Promise<void>
  close(): void
}

interface Needs {
  config: Config
  db: Database
  listener: Pick<Listener, 'on' | 'onReconnect'>
  log: Logger
  /** How often the table is read although nothing was heard. */
  everyMs?: number
}

/** Resolves when the table has been read once, or has been found to be away. */
export async function openLiveSettings({
  config,
  db,
  listener,
  log,
  everyMs = MINUTE,
}: Needs): Promise<LiveSettings> {
  const watchers = new Set<(now: Config, before: Config) => void>()
  let current = config
  let away = false
  let complaints = ''
  let reading: Promise<void> | undefined
  let again = false

  async function read(): Promise<void> {
    try {
      apply(withSettings(config, await readSettings(db)))
      if (away) log.info('settings can be read again')
      away = false
    } catch (error) {
      if (!away) log.warn({ err: error }, 'settings cannot be read, the last known ones hold')
      away = true
    }
  }

  function apply({ config: next, ignored }: ReturnType<typeof withSettings<Config>>): void {
    const said = JSON.stringify(ignored)
    if (said !== complaints) {
      for (const { key, reason } of ignored) log.warn({ setting: key, reason }, 'a stored setting is ignored')
    }
    complaints = said
    if (isDeepStrictEqual(next, current)) return
    const before = current
    current = next
    for (const changed of watchers) {
      try {
        changed(next, before)
      } catch (error) {
        log.error({ err: error }, 'a change of settings was not taken up')
      }
    }
  }

  /** One read at a time; whoever asks during one gets the result of another that begins after it. */
  function refresh(): Promise<void> {
    if (reading) again = true
    reading ??= (async () => {
      do {
        again = false
        await read()
      } while (again)
      reading = undefined
    })()
    return reading
  }

  const inBackground = () => void refresh()
  const endings = [listener.on(SETTINGS_CHANNEL, inBackground), listener.onReconnect(inBackground)]
  const timer = setInterval(inBackground, everyMs).unref()
  process.on('SIGHUP', inBackground)
  await refresh()
  return {
    base: config,
    current: () => current,
    onChange: (changed) => {
      watchers.add(changed)
      return () => watchers.delete(changed)
    },
    refresh,
    close: () => {
      for (const end of endings) end()
      clearInterval(timer)
      process.off('SIGHUP', inBackground)
    },
  }
}
