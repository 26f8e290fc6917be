// A keeper: `node keeper.mjs FOLDER SOCKET [IDLE_MS [HIDDEN…]]`. Started detached by a worker, which it outlives. FOLDER is its
// own and has the keeper's id for a name; what it has to say of itself goes to stderr, which is a file in there. What it runs
// finds the HIDDEN folders empty, where pid namespaces can be had.
import { appendFileSync, existsSync, mkdirSync, rmSync, writeSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { templateAdapter } from '#agents/template/adapter.ts'
import { terminalAdapter } from '#agents/terminal/adapter.ts'
import { openNone } from '#boundaries/none/open.ts'
import type { StartProgram } from '#boundaries/port.ts'
import { KEEPER_PROTOCOL, MARK } from '#contract/keeper-protocol.ts'
import type { KeeperRecord, Shutdown } from '#contract/keeper.ts'
import { openPipes } from '#host/pipes.ts'
import { startProgram } from '#host/start-program.ts'
import { usualGraceMs } from '#keeper/execution.ts'
import type { Audit } from '#keeper/gate/audit-file.ts'
import { watchIdleness } from '#keeper/idleness.ts'
import { Keeper } from '#keeper/keeper.ts'
import { listenOn } from '#keeper/listen.ts'
import { answer } from '#keeper/routes.ts'
import { upgrade } from '#keeper/upgrade.ts'
import { Walls } from '#keeper/walls.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { linksFolder } from '#lib/keeper-places.ts'
import { identify } from '#lib/process-identity.ts'
import { NotStarted } from '#lib/program.ts'

const [folder = '', socket = '', idleMs = 600_000, ...hidden] = process.argv.slice(2)
const folderLookMs = 5_000
const goneMs = 10_000
const patience = { idleMs: Number(idleMs), abandonedMs: 86_400_000 }

function log(line: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} ${line}\n`)
  } catch {
    // the disk is full: what matters is in the spools, which wait for room
  }
}

// Whatever breaks, the agents are still to be kept and their records to be written.
process.on('uncaughtException', (error) => log(error.stack ?? error.message))
process.on('unhandledRejection', (reason) => log(`Unhandled: ${String(reason)}`))
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)

const identity = identify(process.pid)
if (!identity) process.exit(1)
const keeperId = basename(folder)
const path = process.env['PATH'] ?? ''
const pipes = openPipes(dirname(socket))
const start: StartProgram = (program, through) => startProgram(program, through, pipes)
const none = await openNone({ start, markName: MARK, path, hidden, log })
let audit: Audit | undefined
let isLeaving: Promise<void> | undefined
const programs = { template: templateAdapter, terminal: terminalAdapter }
// Loaded when they are first needed: a keeper that only runs commands has no use for them.
const sessions = {
  claude: async () => (await import('#agents/claude/adapter.ts')).claudeAdapter,
  codex: async () => (await import('#agents/codex/adapter.ts')).codexAdapter,
  acp: async () => (await import('#agents/acp/adapter.ts')).acpAdapter,
}
const runtimeFolder = dirname(socket)
const links = linksFolder(runtimeFolder, keeperId)
/** Beside us, where the keeper was prepared: what hosts run on. */
const hostRuntime = import.meta.dirname
const noteMark = (mark: string) => appendFileSync(join(folder, 'marks'), `${mark}\n`, { mode: 0o600 })
const walls = new Walls({
  none,
  openFolder: async (workspace) => {
    const { openFolderTools } = await import('#keeper/folder-tools.ts')
    return openFolderTools(workspace, {
      enclosure: none,
      rg: existsSync(join(hostRuntime, 'rg')) ? join(hostRuntime, 'rg') : null,
      scratch: join(folder, 'scratch'),
      path,
      // Namespaces end with us; what is only kept together by its marks has to be found by those who come after us.
      noteMark: none.isolation === 'process-group' ? noteMark : () => undefined,
      appMark: `app:${keeperId}`,
    })
  },
  open: {
    sandbox: async () => {
      const { sandboxBoundary } = await import('#boundaries/sandbox/open.ts')
      return sandboxBoundary({ ...(await wallParts()), path })
    },
    docker: async () => {
      const { dockerBoundary } = await import('#boundaries/docker/open.ts')
      return dockerBoundary({ ...(await wallParts()), labels: { home: hidden[0] ?? '', keeper: keeperId } })
    },
  },
  log,
})

async function wallParts() {
  if (!existsSync(join(hostRuntime, 'host.mjs')))
    throw new NotStarted('This keeper was started from its sources, without what goes inside walls.')
  const { openGate } = await import('#keeper/gate/open-gate.ts')
  const { openAuditFile } = await import('#keeper/gate/audit-file.ts')
  audit ??= openAuditFile(join(folder, 'audit.ndjson'))
  const takeDial = openGate({ workspace: () => walls.enclosed, audit, log })
  mkdirSync(links, { recursive: true, mode: 0o700 })
  return { hostRuntime, socketParent: links, markName: MARK, takeDial, log }
}
const keeper = new Keeper({ folder, walls, programs, sessions, pipes, runtimeFolder, path, log })
const noteRequest = watchIdleness(keeper, patience, leaveIdle)
const door = { keeper, keeperId, identity, shutDown, leave, log }
const listener = await listenOn(socket, {
  onRequest(request, response) {
    noteRequest()
    void answer(door, request, response)
  },
  onUpgrade(request, connection, head) {
    noteRequest()
    void upgrade(keeper, request, connection, head)
  },
  onTrouble: (error) => log(`Not listening: ${String(error)}`),
}).catch((error: unknown) => {
  log(`Cannot listen: ${String(error)}`)
  return process.exit(1) // nobody could ever reach us
})
const record: KeeperRecord = { protocol: KEEPER_PROTOCOL, keeperId, identity, socket }
process.on('SIGTERM', () => {
  void shutDown({ reason: 'Keeper was told to end', graceMs: usualGraceMs }).then(leave)
})
replaceFile(join(folder, 'keeper.json'), JSON.stringify(record))

// Somebody has removed the home: nobody will ever ask for anything, and no record can be written.
setInterval(() => {
  if (existsSync(folder)) return
  log('The folder is gone')
  void Promise.race([shutDown({ reason: 'The home was removed', graceMs: 0 }), wait(goneMs)]).then(leave)
}, folderLookMs)

function shutDown({ reason, graceMs }: Shutdown): Promise<void> {
  return keeper.shutDown(reason, graceMs)
}

function leaveIdle(): void {
  isLeaving ??= shutDown({ reason: 'Nobody needed it', graceMs: usualGraceMs }).then(leave)
}

function leave(): void {
  listener.close()
  audit?.close()
  rmSync(socket, { force: true })
  rmSync(links, { recursive: true, force: true })
  // Records that nobody has copied yet stay.
  const isCopied = keeper.executions.length === 0 && !existsSync(join(folder, 'audit.ndjson'))
  if (isCopied) rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}
