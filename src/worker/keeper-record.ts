import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { KeeperRecord } from '#contract/keeper.ts'
import { hasCode } from '#lib/error-code.ts'

/** Undefined when there is none. One that cannot be read says nothing about its keeper, least of all that it is dead. */
export async function readKeeperRecord(folder: string): Promise<KeeperRecord | 'unreadable' | undefined> {
  try {
    return KeeperRecord.parse(JSON.parse(await readFile(join(folder, 'keeper.json'), 'utf8')))
  } catch (error) {
    return hasCode(error, 'ENOENT') ? undefined : 'unreadable'
  }
}
