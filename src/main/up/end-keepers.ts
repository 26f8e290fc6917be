import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { KeeperRecord } from '#contract/keeper.ts'
import { isGoneWithin, signalProcess } from '#lib/process-end.ts'
import { isAlive } from '#lib/process-identity.ts'
import { keeperAt } from '#worker/keeper-client.ts'

/**
 * Ends the keepers of this home that are left once the worker has gone: it may have been dead at that very moment, and nothing
 * may outlive `up`. What they recorded stays, and the next worker copies it.
 */
export async function endKeepers(home: string, graceMs: number, log: Pick<Logger, 'warn'>): Promise<void> {
  const folder = join(home, 'keepers')
  const ids = await readdir(folder).catch(() => [])
  await Promise.all(
    ids.map(async (id) => {
      const keeper = await readKeeper(join(folder, id))
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

async function readKeeper(folder: string): Promise<KeeperRecord | undefined> {
  try {
    return KeeperRecord.parse(JSON.parse(await readFile(join(folder, 'keeper.json'), 'utf8')))
  } catch {
    return undefined // none, or not up yet
  }
}
