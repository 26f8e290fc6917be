import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** Short and hashed: a socket's path has to fit into 108 bytes. */
const short = (keeperId: string) => createHash('sha256').update(keeperId).digest('hex').slice(0, 12)

/** Where a keeper is reached. */
export const keeperSocket = (runtimeFolder: string, keeperId: string): string =>
  join(runtimeFolder, `k-${short(keeperId)}.sock`)

const linkPrefix = 'h-'

/** The folder for the lines to a keeper's hosts. Its name tells whose it is, so that others can clear up after a keeper that was killed. */
export const linksFolder = (runtimeFolder: string, keeperId: string): string =>
  join(runtimeFolder, `${linkPrefix}${short(keeperId)}`)

export const isLinksFolder = (name: string): boolean => name.startsWith(linkPrefix)
