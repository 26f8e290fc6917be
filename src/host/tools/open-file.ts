import { close, constants, fstatSync, open, read } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { promisify } from 'node:util'
import { ToolRefused } from '#lib/tool-refused.ts'
import { notFound } from '../confined-walk.ts'
import type { Place } from '../confined.ts'

const [openFile, closeFile, readFile] = [promisify(open), promisify(close), promisify(read)]

export interface OpenFile {
  handle: number
  stats: BigIntStats
}

/** What is there, if it is a file. Throws ToolRefused. */
export function fileAt({ there, path }: Place): OpenFile {
  if (!there) throw notFound(path)
  if (there.stats.isDirectory()) throw new ToolRefused('not_a_file', `${path} is a folder`, { path })
  if (!there.stats.isFile())
    throw new ToolRefused('special_file', `${path} is a device, a pipe or a socket, and no file`, { path })
  return there
}

/** Opens the very file that was found, however its name is used by now. */
export async function reading<T>(file: OpenFile, use: (opened: OpenFile) => Promise<T>): Promise<T> {
  const handle = await openFile(`/proc/self/fd/${file.handle}`, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return await use({ handle, stats: fstatSync(handle, { bigint: true }) })
  } finally {
    await closeFile(handle)
  }
}

const pieceBytes = 1 << 20

/** The bytes of a file from its beginning, piece by piece. A piece is good until the next one is asked for. */
export async function* piecesOf(handle: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  const piece = Buffer.allocUnsafe(pieceBytes)
  for (let at = 0; ;) {
    if (signal.aborted) throw givenUp()
    const { bytesRead } = await readFile(handle, piece, 0, pieceBytes, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

/** All of a file of about this size, but no more than `most` bytes and one. */
export async function bytesOf(handle: number, size: number, most: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(Math.min(size, most) + 1)
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await readFile(handle, bytes, filled, bytes.length - filled, filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}

export const givenUp = (): ToolRefused =>
  new ToolRefused('tool_timed_out', 'It was given up before it was done')
