import type { ReadAnswer } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import type { Confined, Place } from '../confined.ts'
import { Asked, place as placeSize, refuseInput } from './asked.ts'
import type { FileCache } from './file-cache.ts'
import { changedAt } from './file-time.ts'
import { fileAt } from './open-file.ts'
import { readHugeRange } from './read-huge.ts'
import { largestTextBytes, readText } from './text-file.ts'

export interface LineRange {
  start: number
  end: number
}

/** Reads a file, or lines of it. Rejects with ToolRefused. */
export function read(
  files: Confined,
  cache: FileCache,
  input: unknown,
  signal: AbortSignal,
): Promise<Omit<ReadAnswer, 'executionTime'>> {
  const asked = new Asked(input, ['path', 'range'])
  const path = asked.text('path', placeSize)
  const range = rangeOf(asked.part('range', ['start', 'end']))
  return files.at(path, async (place) => {
    const isHuge = range && fileAt(place).stats.size > largestTextBytes
    return isHuge ? readHugeRange(place, range, cache, signal) : readNow(place, range, cache)
  })
}

async function readNow(place: Place, range: LineRange | undefined, cache: FileCache) {
  const { text, stats, size, lines, hash } = await readText(place, cache)
  const told = { path: place.path, size, lines, mtime: changedAt(stats), hash }
  if (!range) return { ...told, content: text }
  refuseBeyond(range, lines, place.path)
  const start = startOfLine(text, range.start - 1, 0)
  const content = text.slice(start, startOfLine(text, range.end - range.start + 1, start))
  return { ...told, content, range: { start: range.start, end: Math.min(range.end, lines) } }
}

function rangeOf(asked: Asked | undefined): LineRange | undefined {
  if (!asked) return undefined
  const range = { start: asked.whole('start', { min: 1 }), end: asked.whole('end', { min: 1 }) }
  return range.end < range.start ? refuseInput('range.end', 'must not be before the start') : range
}

/** Throws ToolRefused for what begins after the last line. */
export function refuseBeyond({ start }: LineRange, lines: number, path: string): void {
  if (start > Math.max(1, lines))
    throw new ToolRefused(
      'tool_input',
      `range.start: ${path} has ${lines} lines, and ${start} is after the last`,
      {
        field: 'range.start',
        lines,
      },
    )
}

/** Where the line begins that is so many lines further on, or the end. */
function startOfLine(text: string, lines: number, from: number): number {
  let at = from
  for (let line = 0; line < lines; line += 1) {
    const end = text.indexOf('\n', at)
    if (end === -1) return text.length
    at = end + 1
  }
  return at
}
