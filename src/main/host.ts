// The host: `node host.mjs` inside walls, with a HostSetup in SIGNALBOX_HOST. It dials its keeper, serves it on that connection, and
// when that is lost ends everything and itself. Bundled alone, and made of parts of Node only.
import { mkdirSync, writeSync } from 'node:fs'
import { HOST_PROTOCOL, inside, proxyVariables } from '#contract/host.ts'
import type { HostHealth, HostSetup } from '#contract/host.ts'
import { connectInside } from '#host/connect-inside.ts'
import { dialTo } from '#host/dial.ts'
import { openGates } from '#host/gates.ts'
import { openHealthPort } from '#host/health-port.ts'
import { keepApp } from '#host/kept-app.ts'
import { runMcp } from '#host/mcp-program.ts'
import { openTools } from '#host/open-tools.ts'
import { openPipes } from '#host/pipes.ts'
import { openPrograms } from '#host/programs.ts'
import { openScratch } from '#host/scratch.ts'
import { serveKeeper } from '#host/serve.ts'
import { openToolPort } from '#host/tool-port.ts'
import type { Program } from '#lib/program.ts'

// The other thing that it can be: an MCP server for one folder.
if (process.argv[2] === 'mcp') process.exit(await runMcp(process.argv.slice(3)))

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

const { root, rg } = setup
const kept = openScratch(setup.scratch, log)
const scratch = kept.path
mkdirSync(setup.pipes, { recursive: true, mode: 0o700 })
const env = { ...process.env, ...proxyVariables } as Record<string, string>
const programs = openPrograms(setup.markName, openPipes(setup.pipes))
const start = (program: Program, mark: string) => programs.start(program, mark)
const tools = openTools({ root, rg, scratch, env, commandRules: () => setup.commandRules, start })
const app = keepApp(() => setup.app, { start, mark: 'app', cwd: root, env })
const health = (): HostHealth => ({
  status: 'ok',
  protocol: HOST_PROTOCOL,
  pid: process.pid,
  node: process.version,
  uptimeMs: Math.round(process.uptime() * 1000),
  programs: programs.count,
  app: app.state(),
  troubles: gates?.troubles ?? [],
})

const dial = dialTo(setup.socket)
// Before the keeper hears of us: whatever it starts finds the ways out open.
const gates = setup.withoutPorts ? undefined : await openGates(dial)
for (const trouble of gates?.troubles ?? []) log(trouble)
const line = await dial('serve')
const lost = serveKeeper(line, {
  programs,
  tools,
  connect: connectInside,
  health,
  app: (action) => app.act(action),
})
if (setup.app) void app.act('start')
if (!setup.withoutPorts) {
  openToolPort({ port: inside.toolPort, tools, health, log }).catch(tellPort)
  openHealthPort({ port: inside.healthPort, health, restart: () => app.act('restart') }).catch(tellPort)
}

function tellPort(error: unknown): void {
  log(`A port for those inside cannot be had: ${String(error)}`)
}

await lost
await programs.endAll(0)
kept.close()
process.exit(0)
