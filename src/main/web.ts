// The web process: HTTP, streams and the page. Keeps no state, so any number of them serve one database.
import type { Server } from 'node:http'
import { flushCompileCache } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { createAdaptorServer } from '@hono/node-server'
import { loadConfig } from '#config/config.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { openListener } from '#db/listen.ts'
import { migrate } from '#db/migrate.ts'
import { openPool } from '#db/pool.ts'
import { openStreams } from '#events/streams.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { buildApp } from '#http/app.ts'
import { openDoorkeeper } from '#http/doorkeeper.ts'
import { prepareHome, readMachineId, readOrCreateJwtSecret, readOrCreateToken } from '#lib/home.ts'
import { openLog, tuneLog } from '#lib/log.ts'
import { keepOutOfLogs } from '#lib/redact.ts'
import manifest from '../../package.json' with { type: 'json' }
import { listen } from './listen-on.ts'
import { orExit } from './exit.ts'

const supervised = process.send !== undefined
const patience = 4_000 // of the 5 s that whoever stops us waits

const config = orExit(78, () => loadConfig({ env: process.env, cwd: process.cwd() }))
const url = orExit(78, () => {
  if (config.databaseUrl !== undefined) return config.databaseUrl
  throw new Error('signalbox web needs DATABASE_URL. To run everything on this machine, use: signalbox up')
})

const log = openLog(config.log, 'web')
prepareHome(config.home)
if (!supervised) await migrate(url, log)

const pool = openPool(url, {
  onError: ({ message }) => log.warn({ reason: message }, 'a database connection was lost'),
})
const listener = openListener(url, log)
const streams = openStreams(pool.db, listener, log)
const settings = await openLiveSettings({ config, db: pool.db, listener, log })
tuneLog(log, settings.current().log)
settings.onChange((now) => tuneLog(log, now.log))
const auth = { ...config.auth, jwtSecret: config.auth.jwtSecret ?? readOrCreateJwtSecret(config.home) }
const doorkeeper = openDoorkeeper(pool.db, auth)
await untilRegistered()

const app = buildApp({ pool, streams, settings, doorkeeper, log, version: manifest.version })
const server = createAdaptorServer({ fetch: app.fetch }) as Server
const port = await listen(server, config)
log.info({ port }, 'web serves')
process.send?.({
  type: 'ready',
  url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
})

flushCompileCache() // otherwise written at a clean exit only, and a killed web should be back fast

let stopping = false
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())
process.on('disconnect', () => void stop()) // the supervisor died
if (supervised && !process.connected) void stop() // it died while we were starting

/** The owner's token opens this web from the start; a database that is away is waited for. */
async function untilRegistered(): Promise<void> {
  for (;;) {
    try {
      const token = readOrCreateToken(config.home)
      keepOutOfLogs(token, auth.jwtSecret)
      await pool.transaction((tx) => registerOwnerToken(tx, readMachineId(config.home), token))
      return
    } catch (error) {
      log.warn({ err: error }, 'the database is away, waiting for it')
      await wait(250)
    }
  }
}

async function stop(): Promise<void> {
  if (stopping) return
  stopping = true
  setTimeout(() => server.closeAllConnections(), patience).unref()
  const closed = new Promise((resolve) => server.close(resolve))
  streams.close()
  server.closeIdleConnections()
  await closed
  settings.close()
  await Promise.allSettled([listener.close(), pool.close()])
  log.info('web stopped')
  process.exit(0)
}
