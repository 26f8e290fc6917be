import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import type { HandOver } from '#db/hand-over.ts'
import type { Listener } from '#db/listen.ts'
import type { DatabasePool } from '#db/pool.ts'
import { listSources } from '#db/sources.ts'
import type { ToolCalls } from '#worker/call-tool.ts'
import type { MachineCode } from '#worker/code/machine-code.ts'
import { configFileOf } from '#worker/tools/config-file.ts'
import { openForgotten } from '#worker/tools/forgotten-questions.ts'
import type { MachineTools } from '#worker/tools/machine-tools.ts'

export interface ToolsNeeds {
  pool: DatabasePool
  machineId: string
  /** Of this process, with the settings of the database. */
  config: () => Config
  /** The file and the environment, read again. */
  readConfig: () => Config
  listener: Listener
  toolCalls: ToolCalls
  /** Asked for when somebody runs code, or wants to know how: it needs these tools itself. */
  code: () => Promise<MachineCode>
  handOver: HandOver
  log: Logger
  version: string
}

/** The tools of this machine. What they are made of is loaded when there are any, or when somebody asks. */
export interface ToolsHere {
  tools(): Promise<MachineTools>
  /** The configuration may have changed. */
  reread(): void
  /** Ends the programs of sources too. */
  close(): Promise<void>
}

export type OpenedTools = MachineTools & { reread(): Promise<void>; close(): Promise<void> }

export function openToolsHere(needs: ToolsNeeds): ToolsHere {
  const { pool, machineId, config, log } = needs
  let opened: Promise<OpenedTools> | undefined
  let isClosed = false
  let here: MachineTools | undefined
  // Also where there are no tools now: those of a worker that died may have asked something.
  const forgotten = openForgotten({
    pool,
    machineId,
    log,
    isWaitedFor: (id) => here?.isWaitedFor(id) ?? false,
  })

  function tools(): Promise<OpenedTools> {
    if (isClosed) return Promise.reject(new Error('The worker is stopping'))
    opened ??= import('./open-tools.ts')
      .then(({ openTools }) => openTools(needs))
      .then((them) => (here = them))
      .catch((error: unknown) => {
        opened = undefined // whoever asks next tries again
        throw error
      })
    return opened
  }

  const hasSources = async () =>
    Object.keys(config().mcp.servers).length > 0 ||
    existsSync(configFileOf(config().home)) ||
    (await listSources(pool.db, machineId)).length > 0

  void begin()

  return {
    tools,
    reread: () =>
      void again().catch((error: unknown) => log.error({ err: error }, 'sources were not read again')),
    async close() {
      isClosed = true
      forgotten.close()
      await opened?.then((them) => them.close()).catch(() => undefined)
    },
  }

  /** Without anybody asking, and for as long as it takes: the database may be away for a while. */
  async function begin(): Promise<void> {
    for (let waitMs = 1_000; !isClosed; waitMs = Math.min(waitMs * 2, 30_000)) {
      try {
        if (await hasSources()) await tools()
        return
      } catch (error) {
        if (isClosed) return
        log.error({ err: error, waitMs }, 'the sources of tools could not be begun, and are tried again')
        await wait(waitMs, undefined, { ref: false })
      }
    }
  }

  async function again(): Promise<void> {
    if (opened || (await hasSources())) await (await tools()).reread()
  }
}
