import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { startPostgres } from '#db/embedded/start.ts'
import type { EmbeddedPostgres } from '#db/embedded/start.ts'
import { prepareRuntimeFolder, restoreRuntimeFolder } from '#lib/runtime-folder.ts'
import { newBackoff } from './backoff.ts'

export interface KeptPostgres {
  /** Stays the same over restarts. */
  readonly url: string
  /** Ends it, and resolves once it is gone; never rejects. */
  stop(hurry: AbortSignal): Promise<void>
}

/** Starts the embedded Postgres, and starts it again whenever it dies. Throws when the first start fails. */
export async function keepPostgres(options: {
  home: string
  log: Logger
  signal: AbortSignal
}): Promise<KeptPostgres> {
  const { home, log } = options
  const stopping = new AbortController()
  // Chosen once: others were given the address, and a second choice could fall on another socket.
  const runtimeFolder = prepareRuntimeFolder(home)
  let current: EmbeddedPostgres | undefined = await startPostgres({ ...options, runtimeFolder })
  const { url, account } = current
  const kept = keep()

  async function keep(): Promise<void> {
    const backoff = newBackoff()
    let started = Date.now()
    while (!stopping.signal.aborted) {
      await current?.exited
      if (stopping.signal.aborted) return
      const delay = backoff(current ? Date.now() - started : 0)
      current = undefined
      log.warn({ delay }, 'Postgres ended, starting it again')
      await wait(delay, undefined, { signal: stopping.signal }).catch(() => undefined)
      started = Date.now()
      current = await startAgain().catch((error: unknown) => {
        if (!stopping.signal.aborted) log.error({ err: error }, 'Postgres could not start again')
        return undefined
      })
    }
  }

  async function startAgain(): Promise<EmbeddedPostgres> {
    restoreRuntimeFolder(runtimeFolder)
    return startPostgres({ home, runtimeFolder, account, log, signal: stopping.signal })
  }

  return {
    url,
    async stop(hurry) {
      stopping.abort()
      await current?.stop(hurry)
      await kept
      await current?.stop(hurry) // it may have come up in between
    },
  }
}
