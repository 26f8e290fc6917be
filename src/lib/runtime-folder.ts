import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A unix socket's whole path must fit in 108 bytes on Linux, in 104 on macOS; this leaves 40 for its name. */
const longest = 104 - 40

/**
 * The private folder for this home's sockets: the same one every time, 0700, with a short path.
 * Not in XDG_RUNTIME_DIR, which vanishes when its user logs out while processes in tmux go on.
 */
export function prepareRuntimeFolder(home: string): string {
  const user = process.getuid?.() ?? 0
  const folders = possibleRuntimeFolders(home)
  const found = folders.find((folder) => Buffer.byteLength(folder) <= longest && isPrivate(folder, user))
  if (found !== undefined) return found
  const bases = new Set(folders.map((folder) => dirname(folder)))
  throw new Error(`No private folder for sockets could be made in ${[...bases].join(', ')}`)
}

/** Somebody else may sit on the name in a shared folder; then the next name is taken. */
export function possibleRuntimeFolders(home: string): string[] {
  const user = process.getuid?.() ?? 0
  const hash = createHash('sha256')
    .update(`${user}:${realpathSync(home)}`)
    .digest('hex')
    .slice(0, 12)
  const bases = [...(user === 0 ? ['/run'] : []), '/tmp', tmpdir()]
  return bases.flatMap((base) =>
    ['', '-1', '-2', '-3'].map((suffix) => join(base, `signalbox-${hash}${suffix}`)),
  )
}

/** Makes one that was chosen before again, should somebody have swept it away. Throws when another sits on its name. */
export function restoreRuntimeFolder(folder: string): void {
  if (!isPrivate(folder, process.getuid?.() ?? 0))
    throw new Error(`The folder for sockets, ${folder}, is no longer private. Remove it.`)
}

function isPrivate(folder: string, user: number): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch {
    // it is there already, or it cannot be made: what is found decides
  }
  const found = lstatSync(folder, { throwIfNoEntry: false })
  return found !== undefined && found.isDirectory() && found.uid === user && (found.mode & 0o077) === 0
}
