// The bridge: one agent behind `/chat`, as the AI SDK's chat clients speak. No database, no worker, no keeper.
import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { openNone } from '#boundaries/none/open.ts'
import { buildBridge } from '#bridge/app.ts'
import { Conversation } from '#bridge/conversation.ts'
import { adapterFor, openAgent } from '#bridge/open-agent.ts'
import { openSessionFile } from '#bridge/session-file.ts'
import { loadConfig } from '#config/config.ts'
import { MARK } from '#contract/keeper-protocol.ts'
import { configuredRules } from '#domain/policy.ts'
import { startProgram } from '#host/start-program.ts'
import { ownAddress } from '#http/own-address.ts'
import { newId } from '#lib/id.ts'
import { openLog } from '#lib/log.ts'
import { endMarked } from '#lib/marked-processes.ts'
import manifest from '../../package.json' with { type: 'json' }
import { orExit } from './exit.ts'
import { listen } from './listen-on.ts'

const badConfiguration = 78
const openPatience = 60_000
const closePatience = 9_000

const { env } = process
const config = await orExit(badConfiguration, () => loadConfig({ env, cwd: process.cwd(), isBridge: true }))
const { bridge, host } = config
const log = openLog({ ...config.log, outputs: [{ type: 'console', rotation: 'none' }] }, 'agent')
const warn = (line: string) => log.warn(line)

const agent = { adapter: adapterFor(bridge.command), command: bridge.command, cwd: bridge.cwd }
const adapters = {
  claude: async () => (await import('#agents/claude/adapter.ts')).claudeAdapter,
  codex: async () => (await import('#agents/codex/adapter.ts')).codexAdapter,
  acp: async () => (await import('#agents/acp/adapter.ts')).acpAdapter,
}
const boundary = await openNone({
  start: startProgram,
  markName: MARK,
  path: env['PATH'] ?? '',
  hidden: [],
  log: warn,
})
const mark = newId()
const file = openSessionFile(bridge.sessionFile, mark, warn)
const remembered = file.read()
if (file.leftBehind !== undefined) await endMarked(MARK, [file.leftBehind], { graceMs: 0 })
const conversation = new Conversation(
  {
    agent,
    open: openAgent({ ...bridge, env, adapters, boundary, mark, patienceMs: openPatience }),
    file,
    policy: { permissions: bridge.permissions, rules: configuredRules(config.policies) },
    timeoutMs: bridge.timeout,
    log: (line) => log.info({ from: bridge.command }, line),
  },
  remembered,
)

let port = bridge.port
const app = buildBridge({
  conversation,
  admission: {
    token: bridge.token,
    own: () => ownAddress({ ...config, port }),
    origins: config.cors.enabled ? config.cors.origins : [],
  },
  about: { version: manifest.version, agent },
  trouble: () => file.trouble,
  log: (line) => log.error(line),
})
const server = createAdaptorServer({ fetch: app.fetch }) as Server
port = await listen(server, { host, port })
const address = host.includes(':') ? `[${host}]` : host
process.stdout.write(`Signalbox agent ready at http://${address}:${port}\n`)

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    setTimeout(() => process.exit(0), closePatience).unref()
    server.close()
    void conversation.end().then(() => process.exit(0))
  })
