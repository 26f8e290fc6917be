import { chmodSync, rmSync } from 'node:fs'
import { createAdaptorServer } from '@hono/node-server'
import { Hono } from 'hono'
import { once } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { Readable } from 'node:stream'
import type { Duplex } from 'node:stream'
import { json as readJson } from 'node:stream/consumers'
import type { Logger } from 'pino'
import type { Chat } from '#chat/port.ts'
import type { Config } from '#config/config.ts'
import {
  AskOutside,
  AskPresets,
  AskPreview,
  AskSession,
  AskTool,
  AskTurns,
  AskWindow,
  CheckAgent,
} from '#contract/internal.ts'
import type { CheckedAgent } from '#contract/internal.ts'
import type { Database } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import type { ToolCalls } from './call-tool.ts'
import { checkBinary, checkWorkingDir } from './check-paths.ts'
import { codeRoutes } from './code/routes.ts'
import type { CodeHere } from './code/routes.ts'
import type { MachineDiscovery } from './discovery/machine-discovery.ts'
import { discoveryRoutes } from './discovery/routes.ts'
import { openTokenCheck } from './internal-token.ts'
import { readWhole } from '#lib/read-whole.ts'
import { modelRoutes } from './model-routes.ts'
import { outsideSessions, outsideTurns } from './outside-sessions.ts'
import type { Histories } from './outside-sessions.ts'
import type { PortTunnels } from './port-tunnels.ts'
import { binaryDirs, presetsHere } from './presets.ts'
import type { SessionWindows } from './session-windows.ts'
import type { TakeOvers } from './take-over.ts'
import type { MachineTools } from './tools/machine-tools.ts'
import { toolRoutes } from './tools/routes.ts'
import { workspaceRoutes } from './workspace-routes.ts'
import type { VerbNeeds } from './workspace-verbs.ts'

// What only the machine itself can answer. Web asks, with a token that is signed by a key in Postgres and lives for
// seconds; the socket's folder lets nobody else in either.

interface Needs {
  db: Database
  machineId: string
  config: () => Config
  log: Logger
  /** The agents' own histories, as far as they can be read. */
  histories?: Histories
  /** Whatever fails from then on fails because of that. */
  isStopping?: () => boolean
  /** Undefined until the worker is up. */
  takeOvers?: () => TakeOvers | undefined
  /** Undefined until the worker is up. */
  windows?: () => SessionWindows | undefined
  /** Undefined until the worker is up. */
  toolCalls?: () => ToolCalls | undefined
  /** Undefined until the worker is up. */
  tunnels?: () => PortTunnels | undefined
  /** Undefined until the worker is up. */
  workspaces?: () => VerbNeeds | undefined
  /** Undefined until the worker is up. */
  tools?: () => Promise<MachineTools> | undefined
  /** Undefined until the worker is up. */
  code?: () => CodeHere | undefined
  /** Undefined until the worker is up. */
  discovery?: () => MachineDiscovery | undefined
  /** The models that there are keys for here. */
  chat?: () => Promise<Chat>
}

export function internalApi(needs: Needs): Hono {
  const { db, machineId, config, log, histories = {} } = needs
  const checkToken = openTokenCheck(db, machineId)
  const app = new Hono()
  app.onError((error, c) => {
    if (error instanceof Problem) {
      const { code, message, context } = error
      return c.json({ error: { code, message, context } }, code === 'unauthenticated' ? 401 : 400)
    }
    if (needs.isStopping?.())
      return c.json({ error: { code: 'machine_unavailable', message: onlyStopping } }, 503)
    log.error({ err: error }, 'an internal request failed')
    return c.json({ error: { code: 'internal', message: 'Something went wrong on the machine' } }, 500)
  })
  app.use(async (c, next) => {
    await checkToken(c.req.header('authorization'))
    await next()
  })
  app.post('/check-agent', async (c) => {
    const { binaryPath, workingDir } = CheckAgent.parse(await c.req.json())
    const { allowedWorkingDirs, home } = config()
    const checked: CheckedAgent = {
      binaryPath: binaryPath && (await checkBinary(binaryPath, binaryDirs(config()))),
      workingDir: workingDir && (await checkWorkingDir(workingDir, allowedWorkingDirs, home)),
    }
    return c.json({ data: checked })
  })
  app.post('/presets', async (c) => {
    const { key, binaryPath } = AskPresets.parse(await c.req.json())
    const allowed = binaryPath && (await checkBinary(binaryPath, binaryDirs(config())))
    const machine = { config: config(), env: process.env }
    return c.json({ data: await presetsHere(machine, { key, binaryPath: allowed }) })
  })
  app.post('/outside-sessions', async (c) => {
    const machine = { config: config(), env: process.env }
    return c.json({ data: await outsideSessions(machine, histories, AskOutside.parse(await c.req.json())) })
  })
  app.post('/outside-turns', async (c) => {
    const machine = { config: config(), env: process.env }
    return c.json({ data: await outsideTurns(machine, histories, AskTurns.parse(await c.req.json())) })
  })
  const takeOvers = () => needs.takeOvers?.() ?? onlyStarting()
  app.post('/take-over', async (c) => {
    const { sessionId, by } = AskSession.parse(await c.req.json())
    return c.json({ data: await takeOvers().takeOver(sessionId, by) })
  })
  app.post('/hand-back', async (c) => {
    const { sessionId, by } = AskSession.parse(await c.req.json())
    await takeOvers().handBack(sessionId, by)
    return c.json({ data: {} })
  })
  app.post('/window', async (c) => {
    const windows = needs.windows?.() ?? onlyStarting()
    return c.json({ data: await windows.find(AskWindow.parse(await c.req.json())) })
  })
  app.post('/open-preview', async (c) => {
    const { workspaceId, port } = AskPreview.parse(await c.req.json())
    await (needs.tunnels?.() ?? onlyStarting()).prepare(workspaceId, port)
    return c.json({ data: {} })
  })
  app.post('/tool', async (c) => {
    const calls = needs.toolCalls?.() ?? onlyStarting()
    const asked = AskTool.parse(c.req.query())
    const answer = await calls.ask(asked, await c.req.text(), c.req.raw.signal)
    if (asked.tool === 'stream') return new Response(Readable.toWeb(answer) as ReadableStream)
    if (asked.tool === 'health' || asked.tool === 'app') return c.json({ data: await readJson(answer) })
    return c.body(await readWhole(answer, longestAnswer), 200, json)
  })
  app.route(
    '/',
    workspaceRoutes(() => needs.workspaces?.() ?? onlyStarting()),
  )
  app.route(
    '/',
    toolRoutes(() => needs.tools?.() ?? onlyStarting()),
  )
  app.route(
    '/',
    codeRoutes(() => needs.code?.() ?? onlyStarting()),
  )
  app.route(
    '/',
    discoveryRoutes(() => needs.discovery?.() ?? onlyStarting()),
  )
  app.route(
    '/',
    modelRoutes(() => needs.chat?.() ?? onlyStarting(), config),
  )
  return app
}

const json = { 'content-type': 'application/json' }
const longestAnswer = 64 * 1024 * 1024

const onlyStopping =
  'The worker is stopping: whether what it was asked for was done is not known. Try again when it is back'

function onlyStarting(): never {
  throw new Problem('machine_unavailable', 'The worker is only just starting: try again')
}

export interface Listening {
  close(): Promise<void>
}

/** Serves on a unix socket in the private folder, and at `listen` where other machines come. */
export async function serveInternally(
  app: Hono,
  socket: string,
  listen: string | undefined,
  onUpgrade?: OnUpgrade,
): Promise<Listening> {
  rmSync(socket, { force: true }) // of a worker that was killed; only one lives at a time
  const servers = [await opened(app, onUpgrade, (server) => server.listen(socket))]
  chmodSync(socket, 0o600)
  if (listen) {
    const { hostname, port } = new URL(`http://${listen}`)
    const host = hostname.replace(/^\[|\]$/g, '')
    servers.push(await opened(app, onUpgrade, (server) => server.listen(Number(port || 80), host)))
  }
  return {
    async close() {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
    },
  }
}

type OnUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

async function opened(
  app: Hono,
  onUpgrade: OnUpgrade | undefined,
  listen: (server: Server) => void,
): Promise<Server> {
  // Web gives its connections up before we do.
  const serverOptions = { keepAliveTimeout: 60_000 }
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions }) as Server
  if (onUpgrade) server.on('upgrade', onUpgrade)
  listen(server)
  await once(server, 'listening')
  return server
}
