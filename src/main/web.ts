// The web process: HTTP, streams and the page. Keeps no state, so any number of them serve one database.
import { flushCompileCache } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { getRequestListener } from '@hono/node-server'
import { loadConfig } from '#config/config.ts'
import type { Ready } from '#contract/up.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { openHandOver } from '#db/hand-over.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { openLiveTerminals } from '#db/live-terminals.ts'
import { openListener } from '#db/listen.ts'
import { migrate } from '#db/migrate.ts'
import { openPool } from '#db/pool.ts'
import { putWeb } from '#db/webs.ts'
import { openStreams } from '#events/streams.ts'
import { registerOwnerToken } from '#flows/register-owner-token.ts'
import { watchMachines } from '#flows/watch-machines.ts'
import { buildApp } from '#http/app.ts'
import { openDoorkeeper } from '#http/doorkeeper.ts'
import { openCodeSockets } from '#http/execute-socket.ts'
import { openGateway } from '#http/gateway/open-gateway.ts'
import { openTerminalTunnel } from '#http/terminal-tunnel.ts'
import { openPreviews } from '#http/preview-door.ts'
import { serveBoth } from '#http/serve-both.ts'
import { giveMemoryBackSoon } from '#lib/give-memory-back.ts'
import { prepareHome, readMachineId, readOrCreateJwtSecret, readOrCreateToken } from '#lib/home.ts'
import { openLog, tuneLog } from '#lib/log.ts'
import { keepOutOfLogs } from '#lib/redact.ts'
import manifest from '../../package.json' with { type: 'json' }
import { orExit } from './exit.ts'
import { listen } from './listen-on.ts'
import { untilReachable } from './up/outside-database.ts'

const badConfiguration = 78
const supervised = process.send !== undefined
const patience = 4_000 // of the 5 s that whoever stops us waits
const databasePatience = 15_000

/** Aborted when it is time to go: told to, or left alone by a supervisor that died. */
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, () => stopping.abort())
if (supervised && !process.connected) stopping.abort()
stopping.signal.addEventListener('abort', () => setTimeout(() => process.exit(0), patience).unref())

const config = await orExit(badConfiguration, () => loadConfig({ env: process.env, cwd: process.cwd() }))
const url = await orExit(badConfiguration, () => {
  if (config.databaseUrl !== undefined) return config.databaseUrl
  throw new Error('signalbox web needs DATABASE_URL. To run everything on this machine, use: signalbox up')
})
const secrets = await orExit(badConfiguration, () => {
  prepareHome(config.home)
  const jwtSecret = config.auth.jwtSecret ?? readOrCreateJwtSecret(config.home)
  return { homeId: readMachineId(config.home), token: readOrCreateToken(config.home), jwtSecret }
})
keepOutOfLogs(secrets.token, secrets.jwtSecret)
const log = openLog(config.log, 'web')
if (!supervised)
  await orExit(1, async () => {
    await untilReachable(url, databasePatience, stopping.signal)
    await migrate(url, log)
  })

const pool = openPool(url, {
  onError: ({ message }) => log.warn({ reason: message }, 'a database connection was lost'),
})
const listener = openListener(url, log)
const streams = openStreams(pool.db, listener, log)
const settings = await openLiveSettings({ config, db: pool.db, listener, log })
tuneLog(log, settings.current().log)
settings.onChange((now) => tuneLog(log, now.log))
await orExit(1, () => untilDone(registerOwner))
const handOver = await orExit(1, () => untilDone(() => openHandOver(pool.db, { log })))
if (stopping.signal.aborted || !handOver) process.exit(0)

const terminals = await openLiveTerminals({ db: pool.db, listener, log })
const doorkeeper = openDoorkeeper(pool.db, { ...config.auth, jwtSecret: secrets.jwtSecret })
const parts = {
  pool,
  streams,
  settings,
  doorkeeper,
  handOver,
  terminals,
  machineId: secrets.homeId,
  log,
  version: manifest.version,
}
const app = buildApp(parts)
const sockets = openCodeSockets((request, env) => app.fetch(request, env), parts)
const gateway = openGateway(parts)
const previews = openPreviews({ pool, doorkeeper, log })
// How long a request may take to arrive; what is answered to it may take as long as it likes.
const patiences = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 }
const tunnel = openTerminalTunnel(parts)
const server = serveBoth(patiences, getRequestListener(app.fetch), previews, [tunnel, sockets], gateway)
const port = await listen(server, config)
log.info({ port }, 'web serves')
const address = config.host.includes(':') ? `[${config.host}]` : config.host
await orExit(1, () =>
  untilDone(() => putWeb(pool.db, secrets.homeId, `http://${reachable(address)}:${port}`)),
)
process.send?.({ type: 'ready', url: `http://${address}:${port}` } satisfies Ready)
flushCompileCache() // otherwise written at a clean exit only, and a killed web should be back fast
giveMemoryBackSoon()

// With every worker silent, somebody must still say so.
const watching = setInterval(() => {
  watchMachines(pool, settings.current().worker).catch((error: unknown) => {
    if (!isDatabaseAway(error)) log.error({ err: error }, 'could not look after silent machines')
  })
}, config.worker.heartbeatIntervalMs)

stopping.signal.addEventListener('abort', () => void stop())

/** Whoever is on this machine finds it here, also where it listens to everybody. */
function reachable(host: string): string {
  return { '0.0.0.0': '127.0.0.1', '[::]': '[::1]' }[host] ?? host
}

/** The owner's token opens this web from the start. */
function registerOwner(): Promise<void> {
  return pool.transaction((tx) => registerOwnerToken(tx, secrets.homeId, secrets.token))
}

/** A database that is away is waited for. Answers with nothing when it is time to go. */
async function untilDone<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  for (let told = false; !stopping.signal.aborted; told = true) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      if (!told) log.warn({ err: error }, 'the database is away, waiting for it')
      await wait(250)
    }
  }
  return undefined
}

async function stop(): Promise<void> {
  clearInterval(watching)
  setTimeout(() => server.closeAllConnections(), patience / 2).unref()
  const closed = new Promise((resolve) => server.close(resolve))
  streams.close()
  previews.close()
  sockets.close()
  gateway.close()
  server.closeIdleConnections()
  await closed
  settings.close()
  terminals.close()
  await handOver?.close().catch(() => undefined)
  await Promise.allSettled([listener.close(), pool.close()])
  log.info('web stopped')
  process.exit(0)
}
