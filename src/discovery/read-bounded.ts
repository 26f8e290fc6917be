import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * The beginning of a file that is one; undefined when there is none, or it may not be read. A pipe is opened without waiting
 * for whoever writes into it, and not read.
 */
export async function readStart(path: string, most: number): Promise<Buffer | undefined> {
  return readPart(path, (size) => ({ from: 0, length: Math.min(size, most) }))
}

/** The same of its end, where a file has its newest lines. */
export async function readEnd(path: string, most: number): Promise<Buffer | undefined> {
  return readPart(path, (size) => ({ from: Math.max(0, size - most), length: Math.min(size, most) }))
}

/** A text that is not larger than this; of a larger one nothing. */
export async function readText(path: string, most: number): Promise<string | undefined> {
  const bytes = await readStart(path, most + 1)
  return bytes === undefined || bytes.length > most ? undefined : bytes.toString()
}

async function readPart(
  path: string,
  part: (size: number) => { from: number; length: number },
): Promise<Buffer | undefined> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile()) return undefined
    const { from, length } = part(stats.size)
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await file.read(bytes, filled, length - filled, from + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return bytes.subarray(0, filled)
  } catch {
    return undefined
  }
}
