import { constants } from 'node:fs'
import { open, readlink, realpath } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { WorkspaceRefusal } from './port.ts'

/** Something of this machine's that is read with our rights: opened once, and read as what was opened. */
export interface Held extends AsyncDisposable {
  handle: FileHandle
  /** Leads to what was opened, for as long as it is held, whatever lies at its place by then. */
  path: string
}

/**
 * Opens a folder or a file by its real path. Whoever was asked whether it may be read has said so of that very path, so no
 * link may have come into it since: neither at its end, nor on the way.
 */
export async function hold(path: string, flags: number = constants.O_DIRECTORY): Promise<Held> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | flags)
  try {
    const isLinux = process.platform === 'linux'
    const found = isLinux ? await readlink(`/proc/self/fd/${handle.fd}`) : await realpath(path)
    if (found !== path)
      throw new WorkspaceRefusal(
        'does_not_fit',
        `A link leads away from ${path}, so nothing is read there. Name the place itself.`,
      )
    return {
      handle,
      path: isLinux ? `/proc/${process.pid}/fd/${handle.fd}` : path,
      [Symbol.asyncDispose]: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}
