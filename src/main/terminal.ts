// The terminal process: sockets of browsers, and the tmux clients behind them. What runs in a terminal is kept elsewhere, and outlives it.
import { createServer } from 'node:http'
import { flushCompileCache } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { loadConfig } from '#config/config.ts'
import type { Ready } from '#contract/up.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { putTerminalText } from '#db/put-terminal.ts'
import { terminalHost } from '#lib/terminal-host.ts'
import { giveMemoryBack, giveMemoryBackSoon } from '#lib/give-memory-back.ts'
import { prepareHome, readMachineId } from '#lib/home.ts'
import { lastWords } from '#lib/last-words.ts'
import { openLog } from '#lib/log.ts'
import { orExit } from './exit.ts'
import { listen } from './listen-on.ts'
import type { TerminalHere } from './terminal-here.ts'

const badConfiguration = 78
const supervised = process.send !== undefined
const patience = 2_000
const databasePatience = 15_000
/** Nobody is here for so long: what is needed only for people is let go of. */
const aloneMs = 5_000

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
    const { untilReachable } = await import('./up/outside-database.ts')
    const { migrate } = await import('#db/migrate.ts')
    await untilReachable(url, databasePatience, stopping.signal)
    await migrate(url, log)
  })

let here: Promise<TerminalHere> | undefined
let viewers = () => 0
let alone: NodeJS.Timeout | undefined
// How long it may take to ask for something; a socket that is open may stay as long as it likes.
const patiences = { headersTimeout: 10_000, requestTimeout: 20_000, connectionsCheckingInterval: 2_000 }
const server = createServer(patiences, (request, response) => {
  const isHealth = request.method === 'GET' && request.url === '/health'
  const body = isHealth
    ? { data: { status: 'ok', viewers: viewers() } }
    : { error: { code: 'not_found', message: 'Only sockets are served here, at /terminal?token=…' } }
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(isHealth ? 200 : 404, headers)
  response.end(JSON.stringify(body))
})
const host = terminalHost(config.host, config.terminal.url)
const port = await listen(server, { host, port: config.terminalPort }, 'TERMINAL_PORT')
server.on('upgrade', (request, socket, head) => {
  socket.on('error', () => socket.destroy())
  if (!/^\/terminal(?:\?|$)/.test(request.url ?? ''))
    return lastWords(socket, 'HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n')
  here ??= open()
  here.then(
    ({ terminal }) => terminal.upgrade(request, socket, head),
    (error: unknown) => {
      here = undefined
      log.error({ err: error }, 'the terminal could not be opened')
      socket.destroy()
    },
  )
})
await untilDone(register)
log.info({ port }, 'terminal serves')
const address = host.includes(':') ? `[${host}]` : host
process.send?.({ type: 'ready', url: `http://${address}:${port}` } satisfies Ready)
flushCompileCache() // otherwise written at a clean exit only, and a killed one should be back fast
giveMemoryBackSoon()

stopping.signal.addEventListener('abort', () => void stop())
if (stopping.signal.aborted) void stop()

async function open(): Promise<TerminalHere> {
  const { openTerminalHere } = await import('./terminal-here.ts')
  const opened = openTerminalHere({ config, url, machineId, port, log, left })
  viewers = () => opened.terminal.viewers
  flushCompileCache()
  giveMemoryBackSoon()
  return opened
}

/** What was opened for people goes after them, connections of the database too, unless somebody comes before that. */
function left(): void {
  clearTimeout(alone)
  alone = setTimeout(() => void closeUnused(), aloneMs).unref()
}

async function closeUnused(): Promise<void> {
  const unused = await here?.catch(() => undefined)
  if (!unused?.terminal.isEmpty) return
  here = undefined
  await unused.close()
  giveMemoryBack()
}

/** Says where it serves, by a connection for that alone. */
async function register(): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'signalbox terminal' })
  client.on('error', () => undefined) // a lost connection also rejects the query under way
  try {
    await client.connect()
    await client.query(putTerminalText, [machineId, port, config.terminal.url ?? null])
  } finally {
    await client.end().catch(() => undefined)
  }
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
  server.close()
  await (await here?.catch(() => undefined))?.close()
  log.info('terminal stopped')
  process.exit(0)
}
