// The worker process: drives the executions of this machine. Agents live in keepers of their own and outlive it.
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { geminiHistory } from '#agents/acp/history.ts'
import { claudeHistory } from '#agents/claude/history.ts'
import { codexHistory } from '#agents/codex/history.ts'
import { loadConfig } from '#config/config.ts'
import { Farewell } from '#contract/up.ts'
import type { Ready } from '#contract/up.ts'
import { isDatabaseAway } from '#db/failure.ts'
import { openHandOver } from '#db/hand-over.ts'
import { openLiveSettings } from '#db/live-settings.ts'
import { openListener } from '#db/listen.ts'
import { registerMachine } from '#db/machine-life.ts'
import { migrate } from '#db/migrate.ts'
import { openPool } from '#db/pool.ts'
import { packRecentTurns } from '#flows/pack-turns.ts'
import { removeOldAudit } from '#flows/remove-old-audit.ts'
import { removeOldCodeRuns } from '#flows/remove-old-code-runs.ts'
import { removeOldOutput } from '#flows/remove-old-output.ts'
import { theChatAgent } from '#flows/the-chat-agent.ts'
import { giveMemoryBackSoon } from '#lib/give-memory-back.ts'
import { prepareHome, readMachineId } from '#lib/home.ts'
import { openLog, tuneLog } from '#lib/log.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { openToolCalls } from '#worker/call-tool.ts'
import type { ToolCalls } from '#worker/call-tool.ts'
import { registerConfigured } from '#worker/configured-workspaces.ts'
import { internalApi, serveInternally } from '#worker/internal-api.ts'
import { openKeepers } from '#worker/keepers.ts'
import { becomeOnlyOne } from '#worker/only-one.ts'
import { portUpgrades } from '#worker/port-routes.ts'
import { openPortTunnels } from '#worker/port-tunnels.ts'
import type { PortTunnels } from '#worker/port-tunnels.ts'
import { openSessionWindows } from '#worker/session-windows.ts'
import type { SessionWindows } from '#worker/session-windows.ts'
import { openTakeOvers } from '#worker/take-over.ts'
import type { TakeOvers } from '#worker/take-over.ts'
import { openWorker } from '#worker/worker.ts'
import manifest from '../../package.json' with { type: 'json' }
import { openChatHere } from './chat-here.ts'
import { openCodeHere } from './code-here.ts'
import { openDiscoveryHere } from './discovery-here.ts'
import { orExit } from './exit.ts'
import { prepareKeeperRuntime } from './keeper-bundle.ts'
import { untilReachable } from './up/outside-database.ts'
import { openToolsHere } from './tools-here.ts'
import type { ToolsHere } from './tools-here.ts'
import { openWorkspacesHere } from './workspaces-here.ts'

const badConfiguration = 78
const alreadyRunning = 75
const supervised = process.send !== undefined
const databasePatience = 15_000
/** Of the 10 s in which `up` has ended everything: what ignores SIGTERM is killed after this. */
const graceMs = 3_000

/** Aborted when it is time to go: told to, or left alone by a supervisor that died. Agents go on. */
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.on(signal, () => stopping.abort())
if (supervised && !process.connected) stopping.abort()

const readConfig = () => loadConfig({ env: process.env, cwd: process.cwd() })
const config = await orExit(badConfiguration, readConfig)
const url = await orExit(badConfiguration, () => {
  if (config.databaseUrl !== undefined) return config.databaseUrl
  throw new Error('signalbox worker needs DATABASE_URL. To run everything on this machine, use: signalbox up')
})
const machineId = await orExit(badConfiguration, () => {
  prepareHome(config.home)
  return readMachineId(config.home)
})
const workerId = config.worker.id ?? machineId
const log = openLog(config.log, 'worker')
if (!supervised)
  await orExit(1, async () => {
    await untilReachable(url, databasePatience, stopping.signal)
    await migrate(url, log)
  })

const pool = openPool(url, {
  onError: ({ message }) => log.warn({ reason: message }, 'a database connection was lost'),
})
const listener = openListener(url, log)
const settings = await openLiveSettings({ config, db: pool.db, listener, log })
tuneLog(log, settings.current().log)
settings.onChange((now) => tuneLog(log, now.log))

const onlyOne = await whenThere(() =>
  becomeOnlyOne({
    url,
    db: pool.db,
    machineId,
    staleAfterMs: settings.current().worker.staleAfterMs,
    log,
    signal: stopping.signal,
  }),
)
if (!onlyOne) {
  process.stderr.write(`A worker already runs for the home ${config.home}\n`)
  process.exit(alreadyRunning)
}

const runtimeFolder = prepareRuntimeFolder(config.home)
const socket = join(runtimeFolder, 'worker.sock')
const chatHere = openChatHere({ config: () => settings.current() })
const histories = { claude: claudeHistory, codex: codexHistory, gemini: geminiHistory }
let isLeaving = false
let takeOvers: TakeOvers | undefined
let windows: SessionWindows | undefined
let toolCalls: ToolCalls | undefined
let tunnels: PortTunnels | undefined
let toolsHere: ToolsHere | undefined
let codeHere: ReturnType<typeof openCodeHere> | undefined
let discoveryHere: ReturnType<typeof openDiscoveryHere> | undefined
let workspacesHere: ReturnType<typeof openWorkspacesHere> | undefined
const internal = await orExit(1, () =>
  serveInternally(
    internalApi({
      db: pool.db,
      machineId,
      config: () => settings.current(),
      log,
      histories,
      isStopping: () => isLeaving,
      takeOvers: () => takeOvers,
      windows: () => windows,
      toolCalls: () => toolCalls,
      tunnels: () => tunnels,
      workspaces: () => workspacesHere,
      tools: () => toolsHere?.tools(),
      code: () => codeHere,
      discovery: () => discoveryHere,
      chat: () => chatHere.chat(),
    }),
    socket,
    config.worker.listen,
    portUpgrades({ db: pool.db, machineId, log, tunnels: () => tunnels }),
  ),
)
const internalUrl = config.worker.url ?? `unix:${socket}`
const handOver = await whenThere(() => openHandOver(pool.db, { log, keepsTime: true }))
await whenThere(async () => {
  await registerMachine(pool.db, { id: machineId, name: hostname(), workerId, url: internalUrl })
  await handOver.open(machineId)
})
const runtime = await orExit(1, () => prepareKeeperRuntime(config.home))
const keepers = openKeepers({ home: config.home, runtimeFolder, runtime, log })
await keepers.prepared
const parts = { pool, handOver, keepers, config: () => settings.current(), log, machineId }
const here = openWorkspacesHere(parts)
const { readyWorkspace } = here
await whenThere(() => registerConfigured(here))
await whenThere(() => pool.transaction((tx) => theChatAgent(tx, { id: machineId, name: hostname() })))
workspacesHere = here
tunnels = openPortTunnels({ keepers, readyWorkspace })
toolCalls = openToolCalls({ ...parts, readyWorkspace })
const tooEarly = () => Promise.reject(new Error('The worker is only just starting'))
const code = () => codeHere?.code() ?? tooEarly()
toolsHere = openToolsHere({ ...parts, listener, toolCalls, code, readConfig, version: manifest.version })
const tools = () => toolsHere?.tools() ?? tooEarly()
codeHere = openCodeHere({ ...parts, listener, tools })
process.on('SIGHUP', () => toolsHere?.reread())
takeOvers = openTakeOvers({ ...parts, histories, readyWorkspace })
windows = openSessionWindows({ ...parts, readyWorkspace })
const worker = openWorker({
  ...here,
  chat: () => chatHere.chat(),
  tools,
  handOver,
  takeOvers,
  windows,
  listener,
  workerId,
  version: manifest.version,
})
await whenThere(() =>
  handOver.schedule('remove-old-output', '17 3 * * *', async () => {
    const { retentionDays } = settings.current().log
    await removeOldCodeRuns(pool, retentionDays)
    if (settings.current().chat.compression) await packRecentTurns(pool)
    return (await removeOldOutput(pool, retentionDays)) + (await removeOldAudit(pool, retentionDays))
  }),
)
discoveryHere = openDiscoveryHere({
  ...parts,
  runtimeFolder,
  machineName: hostname(),
  chat: () => chatHere.chat(),
})
log.info({ machineId }, 'worker serves')
process.send?.({ type: 'ready', url: internalUrl } satisfies Ready)
giveMemoryBackSoon()

let leaving: Promise<void> | undefined
process.on('message', (message) => {
  const said = Farewell.safeParse(message)
  if (said.success) leaving = leave(said.data.hurry ? 0 : graceMs)
})
stopping.signal.addEventListener('abort', () => void (leaving ??= leave(undefined)))
onlyOne.replaced.addEventListener('abort', () => {
  log.error('another worker has taken the place of this one')
  process.exit(alreadyRunning)
})
if (stopping.signal.aborted) leaving ??= leave(undefined)

/** With a grace everything that runs here is ended; without one it goes on, and the next worker takes it up. */
async function leave(grace: number | undefined): Promise<void> {
  isLeaving = true
  await (grace === undefined ? worker.leave() : worker.endAll(grace))
  // Chats have let go of their calls. Now code, and tools last: what it calls is not taken from under it.
  await Promise.all([codeHere?.close(), discoveryHere?.close()])
  await toolsHere?.close()
  settings.close()
  await Promise.allSettled([internal.close(), handOver.close(), onlyOne?.close()])
  await Promise.allSettled([listener.close(), pool.close()])
  log.info('worker stopped')
  process.exit(0)
}

/** While the database is away, it is waited for. */
async function whenThere<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let told = false; ; told = true) {
    try {
      return await work()
    } catch (error) {
      if (stopping.signal.aborted) process.exit(0)
      if (!isDatabaseAway(error)) throw error
      if (!told) log.warn({ err: error }, 'the database is away, waiting for it')
      await wait(250)
    }
  }
}
