import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { fstatSync } from 'node:fs'
import { ToolRefused } from '#lib/tool-refused.ts'
import { unfinishedTail } from '#lib/utf8.ts'
import type { Place } from '../confined.ts'
import { isUnchanged } from './file-cache.ts'
import type { FileCache } from './file-cache.ts'
import { changedAt } from './file-time.ts'
import { fileAt, piecesOf, reading } from './open-file.ts'
import type { OpenFile } from './open-file.ts'
import type { LineRange } from './read.ts'
import { refuseBeyond } from './read.ts'
import { changesAllTheTime, largestTextBytes, notUtf8, refuseBinary } from './text-file.ts'

const mostTries = 3

/** Lines of a file that is too large to be had whole. It is read to its end, for its hash, unless that is known. */
export async function readHugeRange(place: Place, range: LineRange, cache: FileCache, signal: AbortSignal) {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const found = await reading(fileAt(place), async (file) => {
      const known = cache.find(file.stats)
      const read = await readLines(file, place.path, { range, stopsAfter: known !== undefined, signal })
      if (!isUnchanged(file.stats, fstatSync(file.handle, { bigint: true }))) return undefined
      const { hash, lines } = known ?? read
      if (!known) cache.keep(file.stats, { hash, lines })
      return { content: read.content, stats: file.stats, hash, lines }
    })
    if (!found) continue
    const { content, stats, hash, lines } = found
    refuseBeyond(range, lines, place.path)
    return {
      path: place.path,
      content,
      size: Number(stats.size),
      lines,
      mtime: changedAt(stats),
      hash,
      range: { start: range.start, end: Math.min(range.end, lines) },
    }
  }
  throw changesAllTheTime(place.path)
}

interface Wanted {
  range: LineRange
  /** The rest of the file need not be read. */
  stopsAfter: boolean
  signal: AbortSignal
}

async function readLines({ handle }: OpenFile, path: string, { range, stopsAfter, signal }: Wanted) {
  const sum = createHash('sha256')
  const wanted: Buffer[] = []
  let [line, wantedBytes, unfinished] = [1, 0, Buffer.alloc(0)]
  let [isFirst, endsLine] = [true, true]
  for await (const piece of piecesOf(handle, signal)) {
    const text = unfinished.length > 0 ? Buffer.concat([unfinished, piece]) : piece
    const whole = text.length - unfinishedTail(text)
    if (isFirst) refuseBinary(text.subarray(0, whole), path)
    else if (!isUtf8(text.subarray(0, whole))) throw notUtf8(path)
    unfinished = Buffer.from(text.subarray(whole))
    isFirst = false
    if (!stopsAfter) sum.update(piece)
    for (let from = 0; from < piece.length;) {
      const end = piece.indexOf(10, from)
      const next = end === -1 ? piece.length : end + 1
      if (line >= range.start && line <= range.end) {
        wantedBytes += next - from
        if (wantedBytes > largestTextBytes) throw rangeTooLarge(path)
        wanted.push(Buffer.from(piece.subarray(from, next)))
      }
      endsLine = end !== -1
      if (endsLine) line += 1
      from = next
    }
    if (stopsAfter && line > range.end) break
  }
  if (unfinished.length > 0 && !stopsAfter) throw notUtf8(path)
  return {
    content: Buffer.concat(wanted).toString('utf8'),
    hash: stopsAfter ? '' : sum.digest('hex'),
    lines: endsLine ? line - 1 : line,
  }
}

const rangeTooLarge = (path: string): ToolRefused =>
  new ToolRefused(
    'file_too_large',
    `These lines of ${path} have more than ${largestTextBytes} bytes. Ask for fewer`,
    { path, limit: largestTextBytes },
  )
