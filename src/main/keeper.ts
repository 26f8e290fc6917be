// A keeper: node keeper.mjs FOLDER SOCKET. Started detached by a worker, which it outlives; all that it has to say of
// itself goes to stderr, which is a file. FOLDER is its own, and its name is the keeper's id.
import { rmSync, writeSync } from 'node:fs'
import { basename, join } from 'node:path'
import { templateAdapter } from '#agents/template/adapter.ts'
import { groupBoundary } from '#boundaries/none/process-group.ts'
import { KEEPER_PROTOCOL, MARK } from '#contract/keeper-protocol.ts'
import type { KeeperRecord } from '#contract/keeper.ts'
import { startProgram } from '#host/start-program.ts'
import { Keeper } from '#keeper/keeper.ts'
import { listenOn } from '#keeper/listen.ts'
import { answer } from '#keeper/routes.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { identify } from '#lib/process-identity.ts'

const [folder = '', socket = ''] = process.argv.slice(2)

function log(line: string): void {
  try {
    writeSync(2, `${new Date().toISOString()} ${line}\n`)
  } catch {
    // the disk is full: what matters is in the spools, which wait for room
  }
}

process.on('uncaughtException', (error) => log(error.stack ?? error.message))
process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => undefined)

const identity = identify(process.pid)
if (!identity) throw new Error('This process cannot be looked at in /proc')
const keeperId = basename(folder)
const boundary = groupBoundary(startProgram, MARK)
const keeper = new Keeper({ folder, boundary, adapters: { template: templateAdapter }, log })

const shutDown = ({ reason, graceMs }: { reason: string; graceMs: number }) =>
  keeper.shutDown(reason, graceMs)
const exit = () => {
  listener.close()
  rmSync(socket, { force: true })
  // Records that nobody has copied yet stay.
  if (keeper.executions.length === 0) rmSync(folder, { recursive: true, force: true })
  process.exit(0)
}
const listener = await listenOn(socket, {
  onRequest: (request, response) =>
    void answer({ keeper, keeperId, identity, shutDown, exit, log }, request, response),
  onTrouble: (error) => log(`Not listening: ${String(error)}`),
})
process.on('SIGTERM', () => {
  void shutDown({ reason: 'Keeper was told to end', graceMs: 5_000 }).then(exit)
})

const record: KeeperRecord = { protocol: KEEPER_PROTOCOL, keeperId, identity, socket }
replaceFile(join(folder, 'keeper.json'), JSON.stringify(record))
