import { setTimeout as wait } from 'node:timers/promises'
import { signalProcess } from '#lib/process-end.ts'
import { identify } from '#lib/process-identity.ts'
import type { RunningProgram } from '#lib/program.ts'
import { childrenOf, statOf } from '#lib/process-stat.ts'

const lookMs = 500
const patienceMs = 2_000

/** The nsenter that waits for the program and ends exactly as that does. */
export interface Entrance {
  /** The program itself, as it is called on the host. */
  innerPid: number
  /** Once all inside are dead. False when even nsenter does not end. */
  close(): Promise<boolean>
}

export async function watchEntrance({
  pid,
  exited,
}: Pick<RunningProgram, 'pid'> & { exited: Promise<unknown> }): Promise<Entrance> {
  const identity = identify(pid)
  let hasExited = false
  const ended = exited.then(() => (hasExited = true))
  const innerPid = await findInner()

  async function findInner(): Promise<number> {
    for (const end = Date.now() + patienceMs; !hasExited && Date.now() < end; await wait(1)) {
      const [inner] = childrenOf(pid)
      if (inner !== undefined) return inner
    }
    return pid
  }

  // nsenter stops itself when the program is stopped, and does not notice when somebody lets only the program go on.
  const look = setInterval(() => {
    const isLeftBehind = statOf(pid)?.state === 'T' && statOf(innerPid)?.state !== 'T'
    if (isLeftBehind && identity) signalProcess(identity, 'SIGCONT')
  }, lookMs)
  void ended.then(() => clearInterval(look))

  return {
    innerPid,
    async close() {
      for (const signal of ['SIGCONT', 'SIGKILL'] as const) {
        if (identity) signalProcess(identity, signal)
        await Promise.race([ended, wait(patienceMs, undefined, { ref: false })])
        if (hasExited) return true
      }
      return false
    },
  }
}
