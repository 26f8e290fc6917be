import { close, constants, fstat, open, read } from 'node:fs'
import { promisify } from 'node:util'

/** By bare descriptors: some thousand small files are read at once, and a FileHandle each costs as much as the reading. */
const bare = { open: promisify(open), close: promisify(close), stat: promisify(fstat), read: promisify(read) }

/** Reads so many bytes from there, or as many as there are. */
export type ReadAt = (offset: number, length: number) => Promise<Buffer>

/**
 * Opens a file to read from, and closes it again; undefined when there is none, it may not be read, or `work` rejects. A pipe is opened
 * without waiting for whoever writes into it.
 */
export async function reading<Result>(
  path: string,
  work: (readAt: ReadAt, size: () => Promise<number>) => Promise<Result>,
): Promise<Result | undefined> {
  let file: number | undefined
  try {
    const opened = await bare.open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    file = opened
    return await work(
      async (offset, length) => {
        const bytes = Buffer.allocUnsafe(length)
        const { bytesRead } = await bare.read(opened, bytes, 0, length, offset)
        return bytes.subarray(0, bytesRead)
      },
      async () => {
        const stats = await bare.stat(opened)
        return stats.isFile() ? stats.size : 0
      },
    )
  } catch {
    return undefined
  } finally {
    if (file !== undefined) await bare.close(file).catch(() => undefined)
  }
}

/** The beginning of a file. */
export const readStart = (path: string, most: number): Promise<Buffer | undefined> =>
  reading(path, (readAt) => readAt(0, most))

/** The end of a file, where it has its newest lines. */
export const readEnd = (path: string, most: number): Promise<Buffer | undefined> =>
  reading(path, async (readAt, size) => {
    const all = await size()
    return readAt(Math.max(0, all - most), Math.min(all, most))
  })

/** A text that is not larger than this; of a larger one nothing. */
export const readText = (path: string, most: number): Promise<string | undefined> =>
  reading(path, async (readAt, size) => {
    const all = await size()
    return all > most ? undefined : (await readAt(0, all)).toString()
  })
