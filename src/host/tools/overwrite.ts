import { close, constants, fstatSync, fsync, ftruncate, open, write } from 'node:fs'
import { promisify } from 'node:util'
import type { Place } from '../confined.ts'
import { isUnchanged } from './file-cache.ts'

const [openFile, closeFile, syncFile, writeFile, truncate] = [
  promisify(open),
  promisify(close),
  promisify(fsync),
  promisify(write),
  promisify(ftruncate),
]

/**
 * Writes into the file itself, where a new one in its place would not do. Whoever reads meanwhile may see a part. What goes beyond the old
 * end is written first: when there is no room for it, the old content is still whole. False when the file has changed.
 */
export async function overwrite({ there }: Place, content: Buffer): Promise<boolean> {
  if (!there) return false
  const handle = await openFile(`/proc/self/fd/${there.handle}`, constants.O_WRONLY | constants.O_NONBLOCK)
  const put = async (from: number, to: number) => {
    for (let at = from; at < to;) at += (await writeFile(handle, content, at, to - at, at)).bytesWritten
  }
  try {
    const before = fstatSync(handle, { bigint: true })
    if (!isUnchanged(before, there.stats)) return false
    const size = Number(before.size)
    try {
      await put(size, content.length)
      await syncFile(handle)
    } catch (error) {
      await truncate(handle, size)
      throw error
    }
    await put(0, Math.min(size, content.length))
    await truncate(handle, content.length)
    await syncFile(handle)
    return true
  } finally {
    await closeFile(handle)
  }
}
