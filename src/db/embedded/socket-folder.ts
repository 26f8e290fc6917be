import { chownSync, lstatSync, mkdirSync, rmdirSync } from 'node:fs'
import type { Account } from './account.ts'
import { EmbeddedPostgresFailed, wayOut } from './failed.ts'

/** Under a uid of its own the server cannot enter our private folder: it gets one beside it, private to that uid. */
export function prepareSocketFolder(runtimeFolder: string, { server }: Account): string {
  if (!server) return runtimeFolder
  const folder = `${runtimeFolder}-pg`
  try {
    mkdirSync(folder, { mode: 0o700 })
    chownSync(folder, server.uid, server.gid)
  } catch {
    // it is there already, or it cannot be made: what is found decides
  }
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found?.isDirectory() && (found.mode & 0o077) === 0 && [0, server.uid].includes(found.uid)) {
    chownSync(folder, server.uid, server.gid)
    return folder
  }
  throw new EmbeddedPostgresFailed(
    `The folder ${folder}, for the socket of the embedded Postgres, is not private. Remove it. ${wayOut}`,
  )
}

/** Leaves it where it is as long as something is in it. */
export function removeSocketFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // still in use, or gone
  }
}
