// The host: `node host.mjs` inside walls, with a HostSetup in SIGNALBOX_HOST. It dials its keeper, serves it on that connection, and
// when that is lost ends everything and itself. Bundled alone, and made of parts of Node only.
import { mkdirSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { once } from 'node:events'
import { HOST_PROTOCOL } from '#contract/host.ts'
import type { AppState, HostSetup } from '#contract/host.ts'
import { dialTo } from '#host/dial.ts'
import { openTools } from '#host/open-tools.ts'
import type { Tools } from '#host/open-tools.ts'
import { openPipes } from '#host/pipes.ts'
import { openPrograms } from '#host/programs.ts'
import { serveKeeper } from '#host/serve.ts'

const setup: HostSetup = JSON.parse(process.env['SIGNALBOX_HOST'] ?? 'null')
delete process.env['SIGNALBOX_HOST']

function log(line: string): void {
  try {
    writeSync(2, `${line}\n`)
  } catch {
    // nobody listens
  }
}
process.on('uncaughtException', (error) => log(error.stack ?? error.message))
process.on('unhandledRejection', (reason) => log(`Unhandled: ${String(reason)}`))
for (const signal of ['SIGINT', 'SIGHUP', 'SIGPIPE'] as const) process.on(signal, () => undefined)

mkdirSync(setup.scratch, { recursive: true, mode: 0o700 })
const env = { ...process.env } as Record<string, string>
const programs = openPrograms(setup.markName, openPipes(setup.scratch))
const start = programs.start.bind(programs)
const dial = dialTo(setup.socket)
let opened: Tools | undefined
const tools = () =>
  (opened ??= openTools({
    root: setup.root,
    rg: setup.rg,
    scratch: setup.scratch,
    env,
    commandRules: () => setup.commandRules,
    start,
  }))
const noApp: AppState = { state: 'none', command: null, port: null, pid: null, restarts: 0, said: '' }

const line = await dial('serve')
const lost = serveKeeper(line, {
  programs,
  tools: {
    call: (tool, input, signal) => tools().call(tool, input, signal),
    stream: (input, signal) => tools().stream(input, signal),
  },
  async connect(port) {
    const connection = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    await once(connection, 'connect')
    return connection
  },
  health: () => ({
    status: 'ok',
    protocol: HOST_PROTOCOL,
    pid: process.pid,
    node: process.version,
    uptimeMs: Math.round(process.uptime() * 1000),
    programs: programs.count,
    app: noApp,
  }),
  app: () => Promise.resolve(noApp),
})
await lost
await programs.endAll(0)
process.exit(0)
