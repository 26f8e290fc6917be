import type { ChildProcess, StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { closeSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { endProcess } from '#lib/process-end.ts'
import { identify, isAlive } from '#lib/process-identity.ts'
import type { ProcessIdentity } from '#lib/process-identity.ts'
import type { Account } from './account.ts'
import { dataArguments } from './cluster.ts'
import { EmbeddedPostgresFailed } from './failed.ts'
import { clusterName } from './postmaster.ts'
import { startProgram } from './run-program.ts'
import type { ServerLog } from './server-log.ts'
import { serverArguments } from './settings.ts'

/** One running postmaster, started here or found. */
export interface Server {
  identity: ProcessIdentity
  /** Resolves once it is gone; never rejects, and keeps no process from ending. */
  exited: Promise<void>
}

/** Starts the server in a session of its own: it outlives us, and a terminal's Ctrl-C does not reach it. */
export function launchServer(account: Account, data: string, socketFolder: string, log: ServerLog): Server {
  const output = log.open()
  const { path, cwd } = dataArguments(account, data)
  const args = serverArguments({ path, socketFolder, clusterName: clusterName(data) })
  const child = startDetached()
  child.unref()
  const exited = once(child, 'exit').then(
    () => undefined,
    () => undefined,
  )
  const { pid } = child
  if (pid === undefined)
    throw new EmbeddedPostgresFailed('The embedded Postgres could not be started.', log.lastLines())
  // It may have ended before it could be looked at, as one that finds another at work does: no process is named so.
  return { identity: identify(pid) ?? { pid, startTime: '', bootId: '' }, exited }

  function startDetached(): ChildProcess {
    try {
      const stdio: StdioOptions = ['ignore', output, output]
      return startProgram(account, 'postgres', args, { as: account.server, cwd, detached: true, stdio })
    } finally {
      closeSync(output)
    }
  }
}

export function watchServer(identity: ProcessIdentity): Server {
  return { identity, exited: disappearance(identity) }
}

async function disappearance(identity: ProcessIdentity): Promise<void> {
  while (isAlive(identity)) await wait(200, undefined, { ref: false })
}

/** Fast first: sessions are cut and everything is written. Then immediate: the next start recovers from the log. */
export async function stopServer({ identity }: Pick<Server, 'identity'>, hurry?: AbortSignal): Promise<void> {
  const immediate = [
    { signal: 'SIGQUIT', patienceMs: 1_000 },
    { signal: 'SIGKILL', patienceMs: 1_000 },
  ] as const
  if (hurry?.aborted) {
    await endProcess(identity, immediate)
    return
  }
  const hurried = new Promise<void>((resolve) =>
    hurry?.addEventListener('abort', () => resolve(), { once: true }),
  )
  const fast = endProcess(identity, [{ signal: 'SIGINT', patienceMs: 3_000 }])
  await Promise.race([fast, hurried])
  await endProcess(identity, immediate)
}
