import { randomUUID } from 'node:crypto'
import {
  accessSync,
  close,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  open,
  renameSync,
  rmSync,
  write,
} from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { promisify } from 'node:util'
import { hasCode } from '#lib/error-code.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { within } from '../confined-way.ts'
import type { Place } from '../confined.ts'
import { isUnchanged } from './file-cache.ts'
import { overwrite } from './overwrite.ts'

const [openFile, closeFile, syncFile, writeFile] = [
  promisify(open),
  promisify(close),
  promisify(fsync),
  promisify(write),
]

/**
 * Puts other content where a file is, or a new file where there is none. Readers see the old content or the new one, and when it
 * fails the old one is there. False when the file is not the one that was found any more. Rejects with what the system says.
 */
export async function replaceContent(place: Place, content: Buffer): Promise<boolean> {
  const old = place.there
  if (old) accessSync(`/proc/self/fd/${old.handle}`, constants.W_OK) // a rename would not ask
  // A file with several names would be left under the others with its old content.
  if (old && old.stats.nlink > 1n) return overwrite(place, content)
  const next = within(place.folder, `.signalbox-${randomUUID().slice(0, 13)}.tmp`)
  try {
    if (!(await writeBeside(next, content, old?.stats))) return await overwrite(place, content)
    return old ? renameOver(next, place, old.stats) : linkOrRename(next, place)
  } finally {
    rmSync(next, { force: true })
  }
}

/** False when a new file cannot take the place of the old one: not in this folder, or not as the same owner's. */
async function writeBeside(next: string, content: Buffer, old: BigIntStats | undefined): Promise<boolean> {
  let handle: number
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
    handle = await openFile(next, flags, old ? 0o600 : 0o666)
  } catch (error) {
    if (old && (hasCode(error, 'EACCES') || hasCode(error, 'EPERM'))) return false
    throw error
  }
  try {
    if (old && !takesAfter(handle, old)) return false
    for (let at = 0; at < content.length;)
      at += (await writeFile(handle, content, at, content.length - at, at)).bytesWritten
    await syncFile(handle)
    return true
  } finally {
    await closeFile(handle)
  }
}

/** Gives a file the owner and the mode of another. False where that is not allowed. */
function takesAfter(handle: number, { uid, gid, mode }: BigIntStats): boolean {
  const now = fstatSync(handle, { bigint: true })
  try {
    if (now.uid !== uid || now.gid !== gid) fchownSync(handle, Number(uid), Number(gid))
  } catch (error) {
    if (hasCode(error, 'EPERM') || hasCode(error, 'EINVAL')) return false
    throw error
  }
  fchmodSync(handle, Number(mode & 0o7777n)) // after the owner: to change that takes bits away
  return true
}

/** Nothing of ours happens between the look and the rename; what others do in this moment cannot be told from before or after. */
function renameOver(next: string, { folder, name }: Place, old: BigIntStats): boolean {
  const now = lstatSync(within(folder, name), { bigint: true, throwIfNoEntry: false })
  if (!now || !isUnchanged(old, now)) return false
  renameSync(next, within(folder, name))
  return true
}

/** False when something has appeared there meanwhile. */
function linkOrRename(next: string, { folder, name }: Place): boolean {
  const target = within(folder, name)
  try {
    linkSync(next, target)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    // There are file systems without links.
    if (!hasCode(error, 'EPERM') && !hasCode(error, 'ENOTSUP')) throw error
  }
  if (lstatSync(target, { throwIfNoEntry: false })) return false
  renameSync(next, target)
  return true
}

export const changedMeanwhile = (path: string): ToolRefused =>
  new ToolRefused('file_changed', `${path} was changed by somebody else. Read it again, then decide`, {
    path,
  })
