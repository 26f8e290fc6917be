import type { Logger } from 'pino'
import type { Config } from '#config/config.ts'
import { ANSWERED_CHANNEL } from '#db/approvals.ts'
import { runsToTake } from '#db/code-runs.ts'
import { isDatabaseAway } from '#db/failure.ts'
import type { Listener } from '#db/listen.ts'
import type { DatabasePool } from '#db/pool.ts'
import type { MachineCode } from '#worker/code/machine-code.ts'
import type { CodeHere } from '#worker/code/routes.ts'
import type { MachineTools } from '#worker/tools/machine-tools.ts'

export interface CodeNeeds {
  pool: DatabasePool
  machineId: string
  config: () => Config
  listener: Listener
  log: Logger
  tools: () => Promise<MachineTools>
}

/** Nobody tells of a machine that is gone. */
const lookMs = 15_000

/** What it is made of, its threads and the type checker, is there when code is run. */
export function openCodeHere(needs: CodeNeeds): CodeHere & { close(): Promise<void> } {
  const { pool, machineId, config, listener, log } = needs
  let opened: Promise<MachineCode> | undefined
  let isClosed = false

  function code(): Promise<MachineCode> {
    if (isClosed) return Promise.reject(new Error('The worker is stopping'))
    opened ??= import('./open-code.ts')
      .then(({ openCode }) => openCode(needs))
      .catch((error: unknown) => {
        opened = undefined // whoever asks next tries again
        throw error
      })
    return opened
  }

  /** Without anybody asking: runs that were answered, or that a dead worker has left behind. Once it is open it looks by itself. */
  async function look(): Promise<void> {
    if (opened || isClosed) return
    try {
      const found = await runsToTake(pool.db, machineId, config().worker.staleAfterMs)
      if (found.length > 0 && !isClosed) await code()
    } catch (error) {
      // When it is back, it is looked again.
      if (!isClosed && !isDatabaseAway(error))
        log.error({ err: error }, 'runs of code that wait could not be looked for')
    }
  }

  const endings = [listener.on(ANSWERED_CHANNEL, () => void look()), listener.onReconnect(() => void look())]
  const looking = setInterval(() => void look(), lookMs).unref()
  void look()

  return {
    code,
    running: () => opened,
    metrics: async () => (opened ? (await opened).metrics() : ''),
    async close() {
      isClosed = true
      clearInterval(looking)
      for (const end of endings) end()
      await opened?.then((it) => it.close()).catch(() => undefined)
    },
  }
}
