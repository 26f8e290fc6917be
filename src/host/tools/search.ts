import { readSync } from 'node:fs'
import type { Found, FoundFile, SearchAsked } from '#contract/workspace-tool.ts'
import { ToolRefused } from '#lib/tool-refused.ts'
import { unfinishedTail } from '#lib/utf8.ts'
import type { Confined } from '../confined.ts'
import { Asked, place as placeSize } from './asked.ts'
import { changedAt } from './file-time.ts'
import { lookUp, whileOpen } from './look-up.ts'
import { longestLineBytes, mostLines, searchContent } from './search-content.ts'
import type { FoundIn, FoundLine } from './search-content.ts'
import { searchNames } from './search-names.ts'
import { walkNames } from './walk-names.ts'

export interface Sought extends Omit<SearchAsked, 'path'> {
  /** A handle to the root. */
  root: number
  /** The folder to search in, from the root; `.` for the root itself. */
  below: string
  signal: AbortSignal
}

/** All lines of one answer together. */
const mostLineBytes = 8 << 20
const widestSpan = 64 * 1024

/** Searches names or contents. Rejects with ToolRefused. */
export function search(
  files: Confined,
  rg: string | null,
  input: unknown,
  signal: AbortSignal,
): Promise<Omit<Found, 'executionTime'>> {
  const asked = new Asked(input, ['pattern', 'type', 'caseSensitive', 'limit', 'includeIgnored', 'path'])
  const sought = {
    pattern: asked.text('pattern', { min: 1, max: 10_000 }),
    type: asked.choice('type', ['glob', 'regex', 'exact', 'content'], 'glob'),
    caseSensitive: asked.flag('caseSensitive', true),
    limit: asked.whole('limit', { min: 1, max: 10_000 }, 1000),
    includeIgnored: asked.flag('includeIgnored', false),
    signal,
  }
  if (sought.pattern.includes('\0'))
    throw new ToolRefused('bad_pattern', 'The pattern has a NUL character, which no name and no text has')
  return files.in(asked.optionalText('path', placeSize) ?? '.', ({ path, root }) => {
    const where = { ...sought, root, below: path }
    return sought.type === 'content' ? inContents(where, rg) : inNames(where, rg)
  })
}

async function inNames(sought: Sought, rg: string | null): Promise<Omit<Found, 'executionTime'>> {
  const found = rg === null ? await walkNames(sought) : await searchNames({ ...sought, rg })
  const files = await lookUp(
    sought.root,
    found.names.map((path) => ({ path })),
    ({ path }, stats): FoundFile => ({
      path,
      size: stats.size,
      mtime: changedAt(stats),
    }),
  )
  return { files, truncated: found.hasMore }
}

async function inContents(sought: Sought, rg: string | null): Promise<Omit<Found, 'executionTime'>> {
  if (rg === null)
    throw new ToolRefused(
      'command_not_started',
      'Contents are searched by ripgrep, which is not there. Install it, or search for names',
    )
  const found = await searchContent({ ...sought, rg })
  let [bytes, isCut] = [0, false]
  const files = await lookUp(sought.root, found.files, (file, stats, place): FoundFile | undefined => {
    isCut ||= file.lines.length > mostLines || bytes > mostLineBytes
    if (bytes > mostLineBytes) return undefined
    const matches = linesAt(place, file)
    bytes += matches.reduce((sum, { text }) => sum + text.length, 0)
    if (matches.length === 0) return undefined
    return { path: file.path, size: stats.size, mtime: changedAt(stats), matches }
  })
  return { files, truncated: found.hasMore || isCut }
}

/** Ripgrep goes by paths, and may have been led elsewhere: only lines are told that we find there ourselves. */
const linesAt = (place: string, { lines }: FoundIn): { line: number; text: string }[] =>
  whileOpen(place, (handle) => {
    const asked = lines.slice(0, mostLines)
    const bytesAt = readerOf(handle, asked)
    return asked.flatMap((found) => (bytesAt(found).equals(found.bytes) ? [told(found)] : []))
  }) ?? []

/** All lines at once, if they are near to each other. */
function readerOf(handle: number, lines: readonly FoundLine[]): (line: FoundLine) => Buffer {
  const [first, last] = [lines[0]?.offset ?? 0, lines.at(-1)]
  const span = last ? last.offset + last.bytes.length - first : 0
  if (span > widestSpan) return ({ offset, bytes }) => readAt(handle, offset, bytes.length)
  const all = readAt(handle, first, span)
  return ({ offset, bytes }) => all.subarray(offset - first, offset - first + bytes.length)
}

function readAt(handle: number, offset: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  return bytes.subarray(0, readSync(handle, bytes, 0, length, offset))
}

function told({ line, bytes }: FoundLine): { line: number; text: string } {
  const isCut = bytes.length === longestLineBytes
  const text = isCut ? bytes.subarray(0, bytes.length - unfinishedTail(bytes)) : bytes
  return { line, text: text.toString('utf8').replace(/\r$/, '') }
}
