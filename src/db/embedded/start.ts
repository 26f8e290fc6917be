import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import { keepOutOfLogs } from '#lib/redact.ts'
import { chooseAccount } from './account.ts'
import type { Account } from './account.ts'
import { prepareBinaries } from './binaries.ts'
import { prepareCluster } from './cluster.ts'
import { databaseUrl, untilReady } from './connect.ts'
import { EmbeddedPostgresFailed, wayOut } from './failed.ts'
import { clearLeftovers, findPostmaster } from './postmaster.ts'
import { launchServer, stopServer, watchServer } from './server.ts'
import { openServerLog } from './server-log.ts'
import { prepareSocketFolder, removeSocketFolder } from './socket-folder.ts'

export interface EmbeddedPostgres {
  /** For node-postgres; the same after every start with the same runtime folder and account. */
  readonly url: string
  /** Under whom it runs. */
  readonly account: Account
  readonly pid: number
  /** True when the server was already running, left by a process that was killed. */
  readonly attached: boolean
  /** Resolves once the server is gone, whoever ended it; never rejects. */
  readonly exited: Promise<void>
  /** Ends the server and resolves once it is gone; never rejects. `hurry` cuts its patience short. */
  stop(hurry?: AbortSignal): Promise<void>
}

interface StartOptions {
  home: string
  /** From `prepareRuntimeFolder`: where the socket lies. `stop` removes it when nothing else is in it. */
  runtimeFolder: string
  /** Of an earlier start, when this one must be found at the same address; otherwise the machine is asked. */
  account?: Account
  log: Logger
  /** Gives up a start under way; the server that was starting is stopped. */
  signal?: AbortSignal
}

/** How long orphans of a killed server, or a rival start, may keep a new one from starting. */
const rivalPatienceMs = 30_000

/**
 * Starts the home's own Postgres, or attaches to it when it still runs. The server outlives this process, also when
 * it is killed. Throws EmbeddedPostgresFailed, with Postgres's own words.
 */
export async function startPostgres(options: StartOptions): Promise<EmbeddedPostgres> {
  const { home, runtimeFolder, log, signal } = options
  const native = await prepareBinaries(home)
  const account = options.account ?? (await chooseAccount(home, native))
  const { data, password } = await prepareCluster(home, account, log)
  keepOutOfLogs(password)
  const socketFolder = prepareSocketFolder(runtimeFolder, account)
  const serverLog = openServerLog(home)
  const end = Date.now() + rivalPatienceMs

  for (;;) {
    signal?.throwIfAborted()
    const found = findPostmaster(data)
    if (found?.socketFolder !== undefined && found.socketFolder !== socketFolder) {
      log.warn(
        { postmaster: found.pid, socketFolder: found.socketFolder },
        'Postgres listens elsewhere, restarting it',
      )
      await stopServer({ identity: found })
      continue
    }
    if (!found) await clearLeftovers(data, socketFolder)
    const server = found ? watchServer(found) : launchServer(account, data, socketFolder, serverLog)
    log.debug({ postmaster: server.identity.pid, attached: found !== undefined }, 'waiting for Postgres')
    const outcome = await untilReady(server, socketFolder, password, { log, signal })
    if (outcome === 'given up') {
      await stopServer(server)
      continue
    }
    if (outcome === 'ready') {
      log.info(
        { postmaster: server.identity.pid, attached: found !== undefined, as: account.kind },
        'Postgres is ready',
      )
      const bounding = setInterval(() => serverLog.keepBounded(), 60_000).unref()
      const stopped = Promise.withResolvers<void>()
      const exited = Promise.race([server.exited, stopped.promise])
      void exited.then(() => clearInterval(bounding))
      return {
        url: databaseUrl(socketFolder, password),
        account,
        pid: server.identity.pid,
        attached: found !== undefined,
        exited,
        stop: async (hurry) => {
          await stopServer(server, hurry)
          removeSocketFolder(socketFolder)
          removeSocketFolder(runtimeFolder)
          stopped.resolve()
        },
      }
    }
    const ownWords = serverLog.linesOf(server.identity.pid)
    const isRival = /lock file ".*" (already exists|is empty)|pre-existing shared memory block/.test(ownWords)
    if (!(found || isRival) || Date.now() > end)
      throw new EmbeddedPostgresFailed(
        `The embedded Postgres could not start. Its last words are below. ${wayOut}`,
        serverLog.lastLines(),
      )
    await wait(100)
  }
}
