import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { migrate } from '#db/migrate.ts'
import { giveMemoryBackSoon } from '#lib/give-memory-back.ts'
import { HomeRefused, prepareHome, readMachineId, readOrCreateToken } from '#lib/home.ts'
import { openLog } from '#lib/log.ts'
import { compileCache } from './compile-cache.ts'
import { browserAddress } from './up/address.ts'
import { keepChild } from './up/keep-child.ts'
import type { KeptChild } from './up/keep-child.ts'
import { keepPostgres } from './up/keep-postgres.ts'
import type { KeptPostgres } from './up/keep-postgres.ts'
import { endKeepers } from './up/end-keepers.ts'
import { endLeftovers } from './up/leftovers.ts'
import { takeLock } from './up/lock.ts'
import { untilReachable } from './up/outside-database.ts'
import { programs } from './up/programs.ts'
import { openRecord, readRecord } from './up/record.ts'
import type { OwnRecord } from './up/record.ts'
import { watchSignals } from './up/signals.ts'

const stopped = 0
const failed = 1
const alreadyRunning = 75
const badConfiguration = 78
const outsidePatienceMs = 15_000
/** What ignores SIGTERM is killed after this, when there was no worker to see to it. */
const keeperGraceMs = 3_500

/**
 * Runs everything of this home until it is told to stop, and resolves with the exit code. One line goes to stdout, once
 * all of it serves; what went wrong goes to stderr.
 */
export async function up(config: Config, run = programs): Promise<number> {
  // A closed terminal or a broken pipe must not end us in the middle of stopping the others.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  try {
    prepareHome(config.home) // before anything is written: in a home of others even the log could lead elsewhere
    return await runOnce(config, openLog(config.log, 'up'), run)
  } catch (error) {
    return say(messageOf(error), exitCodeOf(error))
  }
}

async function runOnce(config: Config, log: Logger, run: typeof programs): Promise<number> {
  const lock = takeLock(config.home)
  const last = readRecord(config.home)
  if (!lock.taken) {
    const isKnown = last?.pid === lock.holder.pid && last.url !== undefined
    const where = isKnown ? `already runs at ${last.url}` : 'is already starting'
    return say(`Signalbox ${where} (pid ${lock.holder.pid})`, alreadyRunning)
  }
  await endLeftovers(last?.children ?? [], log)
  const record = openRecord(config.home, log)
  const code = await runAll({ config, log, record, run })
  record.remove()
  return code
}

interface Parts {
  config: Config
  log: Logger
  record: OwnRecord
  run: typeof programs
}

/** What has been started so far, and must be stopped, whatever happens. */
interface Started {
  postgres?: Promise<KeptPostgres>
  children: KeptChild[]
  /** Those among them that have others to end, and go while everything still serves. */
  first: KeptChild[]
}

async function runAll(parts: Parts): Promise<number> {
  const started: Started = { children: [], first: [] }
  const signals = watchSignals(() => {
    for (const child of started.children) child.signal('SIGHUP')
  })
  const toldToStop = once(signals.stop, 'abort').then(() => stopped)
  const serving = serve(parts, started, signals.stop).catch((error: unknown) => {
    if (signals.stop.aborted) return stopped
    parts.log.debug({ err: error }, 'could not serve')
    return say(messageOf(error), exitCodeOf(error))
  })
  const code = await Promise.race([toldToStop, serving])
  const asked = Date.now()
  await Promise.all(started.first.map((child) => child.stop(signals.hurry)))
  const isLate = signals.hurry.aborted || Date.now() - asked > keeperGraceMs
  await endKeepers(parts.config.home, isLate ? 0 : keeperGraceMs, parts.log)
  await Promise.all(started.children.map((child) => child.stop(signals.hurry)))
  const postgres = await started.postgres?.catch(() => undefined)
  await postgres?.stop(signals.hurry)
  signals.close()
  return code
}

/** Resolves only when something cannot be kept running, with the exit code. */
async function serve(
  { config, log, record, run }: Parts,
  started: Started,
  stop: AbortSignal,
): Promise<number> {
  readMachineId(config.home)
  const token = readOrCreateToken(config.home)
  if (config.databaseUrl) await untilReachable(config.databaseUrl, outsidePatienceMs, stop)
  else started.postgres = keepPostgres({ home: config.home, log, signal: stop })
  const databaseUrl = config.databaseUrl ?? (await started.postgres)?.url ?? ''
  await migrateWhenThere(databaseUrl, log)
  stop.throwIfAborted()

  const common = {
    SIGNALBOX_HOME: config.home,
    DATABASE_URL: databaseUrl,
    NODE_COMPILE_CACHE: compileCache,
  }
  started.children = run.map(({ name, script, env, nodeFlags, farewellMs }) =>
    keepChild({
      plan: (lastUrl) => ({
        name,
        script,
        env: { ...common, ...env(config, lastUrl) },
        ...(nodeFlags && { nodeFlags }),
      }),
      log,
      onStart: (child) => record.setChild(child),
      farewellMs,
    }),
  )
  started.first = started.children.filter((_, index) => run[index]?.farewellMs !== undefined)
  const failure = Promise.race(started.children.map((child) => child.failed))
  const ready = Promise.all(started.children.map((child) => child.ready))
  const outcome = await Promise.race([ready, failure])
  if (Array.isArray(outcome)) {
    const url = browserAddress(config, outcome[0] ?? '')
    record.setUrl(url)
    flushCompileCache()
    process.stdout.write(`Signalbox ready at ${url}/#token=${token}\n`)
    giveMemoryBackSoon()
  }
  const { message, code } = await failure
  return say(`${message}. Its own words are above, and in ${config.log.dir}.`, code)
}

/** Postgres may be killed at this very moment too; each migration happens whole or not at all. */
async function migrateWhenThere(url: string, log: Logger): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await migrate(url, log)
      return
    } catch (error) {
      if (!isDatabaseAway(error) || attempt === 5) throw error
      await untilReachable(url, outsidePatienceMs, new AbortController().signal)
    }
  }
}

const exitCodeOf = (error: unknown) => (error instanceof HomeRefused ? badConfiguration : failed)
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function say(message: string, code: number): number {
  process.stderr.write(`${message}\n`)
  return code
}
