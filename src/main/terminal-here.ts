import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { FoundWindow } from '#contract/internal.ts'
import { openListener } from '#db/listen.ts'
import { findMachine } from '#db/machines.ts'
import { openPool } from '#db/pool.ts'
import { Problem } from '#domain/problem.ts'
import { openStreams } from '#events/streams.ts'
import { ownAddress } from '#http/own-address.ts'
import { askWorker } from '#http/owning-worker.ts'
import { statusOf } from '#http/problems.ts'
import { prepareRuntimeFolder } from '#lib/runtime-folder.ts'
import { openTerminal } from '#terminal/open.ts'
import type { Terminal } from '#terminal/open.ts'

interface Needs {
  config: Config
  url: string
  machineId: string
  /** Where it listens. */
  port: number
  log: Logger
  /** Nobody is here any more. */
  left: () => void
}

export interface TerminalHere {
  terminal: Terminal
  close(): Promise<void>
}

/** Files may have to be brought, and walls to be put up. */
const shellPatience = 60_000

/** All that a terminal needs once somebody comes: until then it would only take memory, and connections of the database. */
export function openTerminalHere({ config, url, machineId, port, log, left }: Needs): TerminalHere {
  const pool = openPool(url, {
    onError: ({ message }) => log.warn({ reason: message }, 'a database connection was lost'),
  })
  const listener = openListener(url, log)
  const streams = openStreams(pool.db, listener, log)

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
    left,
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
  return {
    terminal,
    async close() {
      terminal.close()
      streams.close()
      await Promise.allSettled([listener.close(), pool.close()])
    },
  }
}
