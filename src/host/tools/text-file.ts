import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import { fstatSync } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Place } from '../confined.ts'
import { isUnchanged } from './file-cache.ts'
import type { FileCache } from './file-cache.ts'
import { bytesOf, fileAt, reading } from './open-file.ts'

/** More than this is read by ranges, and not edited. */
export const largestTextBytes = 10 * 1024 * 1024
const binaryHeadBytes = 8192
const mostTries = 4
/** Two changes as close as this can leave the same time. */
const tickMs = 50

export interface TextFile {
  text: string
  stats: BigIntStats
  size: number
  lines: number
  hash: string
}

/** The text of a file, as it was at one moment. Throws ToolRefused. */
export async function readText(place: Place, cache: FileCache): Promise<TextFile> {
  const file = fileAt(place)
  const known = cache.find(file.stats)
  if (known?.text !== undefined)
    return { ...known, text: known.text, stats: file.stats, size: Number(file.stats.size) }
  if (file.stats.size > largestTextBytes) throw tooLarge(place.path, Number(file.stats.size))
  const { bytes, stats } = await readAtOneMoment(place)
  refuseBinary(bytes, place.path)
  const text = bytes.toString('utf8')
  const read = { text, lines: linesIn(bytes), hash: hash('sha256', bytes, 'hex') }
  cache.keep(stats, read)
  return { ...read, stats, size: bytes.length }
}

export const tooLarge = (path: string, size: number): ToolRefused =>
  new ToolRefused(
    'file_too_large',
    `${path} has ${size} bytes, and ${largestTextBytes} can be had at once. Read a part of it with range: {start, end}, in lines`,
    { path, size, limit: largestTextBytes },
  )

export const changesAllTheTime = (path: string): ToolRefused =>
  new ToolRefused('workspace_busy', `${path} is being written to all the time. Try again in a moment`, {
    path,
  })

async function readAtOneMoment(place: Place): Promise<{ bytes: Buffer; stats: BigIntStats }> {
  let last: Buffer | undefined
  for (let tries = 0; tries < mostTries; tries += 1) {
    const found = await reading(fileAt(place), async ({ handle, stats }) => {
      const bytes = await bytesOf(handle, Number(stats.size), largestTextBytes)
      if (bytes.length > largestTextBytes) throw tooLarge(place.path, bytes.length)
      return isUnchanged(stats, fstatSync(handle, { bigint: true })) ? { bytes, stats } : undefined
    })
    const isCertain = found && (hasSettled(found.stats) || last?.equals(found.bytes))
    if (isCertain) return found
    last = found?.bytes
  }
  throw changesAllTheTime(place.path)
}

const hasSettled = ({ mtimeMs, ctimeMs }: BigIntStats): boolean =>
  Date.now() - Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) > tickMs

/** Throws ToolRefused for what is no UTF-8 text. */
export function refuseBinary(bytes: Buffer, path: string): void {
  if (bytes.subarray(0, binaryHeadBytes).includes(0))
    throw new ToolRefused('not_text', `${path} is a binary file`, { path })
  if (!isUtf8(bytes)) throw notUtf8(path)
}

export const notUtf8 = (path: string): ToolRefused =>
  new ToolRefused('not_text', `${path} is not UTF-8 text`, { path })

/** A last line without an end is one too. */
export function linesIn(bytes: Buffer): number {
  let lines = 0
  let from = 0
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
    lines += 1
    from = end + 1
  }
  return from < bytes.length ? lines + 1 : lines
}
