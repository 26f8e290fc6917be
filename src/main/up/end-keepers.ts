import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { KeeperRecord } from '#contract/keeper.ts'
import { isGoneWithin, signalProcess } from '#lib/process-end.ts'
import { isAlive } from '#lib/process-identity.ts'
import { keeperAt } from '#worker/keeper-client.ts'
import { readKeeperRecord } from '#worker/keeper-record.ts'

const comesUpMs = 2_000

/**
 * Ends the keepers of this home that are left once the worker has gone: it may have been dead at that very moment, and nothing
 * may outlive `up`. What they recorded stays, and the next worker copies it.
 */
export async function endKeepers(home: string, graceMs: number, log: Pick<Logger, 'warn'>): Promise<void> {
  const folder = join(home, 'keepers')
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const ids = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  await Promise.all(
    ids.map(async (id) => {
      const keeper = await keeperIn(join(folder, id))
      if (!keeper || !isAlive(keeper.identity)) return
      try {
        await keeperAt(keeper.socket).shutdown({ reason: 'Worker shutdown', graceMs })
        if (!(await isGoneWithin(keeper.identity, 1_000))) throw new Error('It answered and stayed')
      } catch (error) {
        log.warn({ err: error, keeper: id }, 'a keeper did not end by itself')
        signalProcess(keeper.identity, 'SIGKILL')
      }
    }),
  )
}

/** One that is only just coming up has not said yet who it is; those who never will are dead. */
async function keeperIn(folder: string): Promise<KeeperRecord | undefined> {
  for (const late = Date.now() + comesUpMs; ; await wait(20)) {
    const keeper = await readKeeperRecord(folder)
    if (keeper || Date.now() > late) return keeper === 'unreadable' ? undefined : keeper
  }
}
