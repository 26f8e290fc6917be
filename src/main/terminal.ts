// The terminal process: sockets of browsers, and the tmux clients behind them. What runs in a terminal is kept elsewhere, and outlives it.
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { loadConfig } from '#config/config.ts'
import { FoundWindow } from '#contract/internal.ts'
import type { Ready } from '#contract/up.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { openListener } from '#db/listen.ts'
import { findMachine } from '#db/machines.ts'
import { migrate } from '#db/migrate.ts'
import { openPool } from '#db/pool.ts'
import { putTerminal } from '#db/terminals.ts'
import { Problem } from '#domain/problem.ts'
import { openStreams } from '#events/streams.ts'
import { ownAddress } from '#http/own-address.ts'
import { askWorker } from '#http/owning-worker.ts'
import { statusOf } from '#http/problems.ts'
import { prepareHome, readMachineId } from '#lib/home.ts'
import { openLog } from '#lib/log.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { openTerminal } from '#terminal/open.ts'
import { orExit } from './exit.ts'
import { listen } from './listen-on.ts'
import { untilReachable } from './up/outside-database.ts'

const badConfiguration = 78
const supervised = process.send !== undefined
const patience = 2_000
const databasePatience = 15_000
/** Files may have to be brought, and walls to be put up. */
const shellPatience = 60_000

/** Aborted when it is time to go: told to, or left alone by a supervisor that died. */
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, () => stopping.abort())
process.on('SIGHUP', () => undefined) // of a terminal that closes, and of `up` for those who read again
if (supervised && !process.connected) stopping.abort()
stopping.signal.addEventListener('abort', () => setTimeout(() => process.exit(0), patience).unref())

const config = await orExit(badConfiguration, () => loadConfig({ env: process.env, cwd: process.cwd() }))
const url = await orExit(badConfiguration, () => {
  if (config.databaseUrl !== undefined) return config.databaseUrl
  throw new Error(
    'signalbox terminal needs DATABASE_URL. To run everything on this machine, use: signalbox up',
  )
})
const machineId = await orExit(badConfiguration, () => {
  prepareHome(config.home)
  return readMachineId(config.home)
})
const log = openLog(config.log, 'terminal')
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
const server = createServer((request, response) => {
  const isHealth = request.method === 'GET' && request.url === '/health'
  const body = isHealth
    ? { data: { status: 'ok', viewers: terminal.viewers } }
    : { error: { code: 'not_found', message: 'Only sockets are served here, at /terminal?token=…' } }
  response.writeHead(isHealth ? 200 : 404, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  response.end(JSON.stringify(body))
})
const port = await listen(server, { host: config.host, port: config.terminalPort }, 'TERMINAL_PORT')
const terminal = openTerminal({
  db: pool.db,
  machineId,
  listener,
  streams,
  log,
  settings: () => config.terminal,
  runtimeFolder: prepareRuntimeFolder(config.home),
  path: process.env['PATH'] ?? '',
  checkHost,
  statusOf,
  async findShell(asked) {
    const machine = await findMachine(pool.db, machineId)
    if (!machine)
      throw new Problem(
        'machine_unavailable',
        'No worker has registered here yet. Start it: signalbox worker',
      )
    return askWorker(pool.db, machine, '/window', asked, FoundWindow, shellPatience)
  },
})
server.on('upgrade', (request, socket, head) => {
  if (/^\/terminal(?:\?|$)/.test(request.url ?? '')) terminal.upgrade(request, socket, head)
  else socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
})
await untilDone(() => putTerminal(pool.db, { machineId, port, url: config.terminal.url ?? null }))
log.info({ port }, 'terminal serves')
const address = config.host.includes(':') ? `[${config.host}]` : config.host
process.send?.({ type: 'ready', url: `http://${address}:${port}` } satisfies Ready)
flushCompileCache() // otherwise written at a clean exit only, and a killed one should be back fast

stopping.signal.addEventListener('abort', () => void stop())
if (stopping.signal.aborted) void stop()

/** By the address that we listen on, by PUBLIC_URL through web, or by TERMINAL_URL: whoever uses another name was led here. */
function checkHost(host: string | undefined): void {
  const named = [config.publicUrl, config.terminal.url?.replace(/^ws/, 'http')]
  const own = named.map((publicUrl) =>
    ownAddress({ host: config.host, port, ...(publicUrl && { publicUrl }) }),
  )
  if (host && own.some(({ hosts }) => hosts.has(host.toLowerCase()))) return
  throw new Problem(
    'host_not_allowed',
    'The terminal is not to be called by this name. If it should be, set TERMINAL_URL',
  )
}

/** A database that is away is waited for. */
async function untilDone(work: () => Promise<void>): Promise<void> {
  for (let told = false; !stopping.signal.aborted; told = true) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error)) throw error
      if (!told) log.warn({ err: error }, 'the database is away, waiting for it')
      await wait(250)
    }
  }
}

async function stop(): Promise<void> {
  terminal.close()
  streams.close()
  server.close()
  await Promise.allSettled([listener.close(), pool.close()])
  log.info('terminal stopped')
  process.exit(0)
}
