import type { Readable } from 'node:stream'
import { startRipgrep } from './ripgrep.ts'
import { expressionOf, searchFilesWith } from './search-names.ts'
import type { Sought } from './search.ts'

export interface FoundLine {
  line: number
  /** Where it begins, in bytes. */
  offset: number
  /** As ripgrep saw it; cut. */
  bytes: Buffer
}

export interface FoundIn {
  path: string
  lines: FoundLine[]
}

/** Of one file. */
export const mostLines = 100
export const longestLineBytes = 500
/** A command line has an end. */
const longestArgumentBytes = 512 * 1024

type Searched = Sought & { rg: string }

/** Lines that fit, by ripgrep: first it is asked for the files, and then for the lines of those that are told. */
export async function searchContent(sought: Searched): Promise<{ files: FoundIn[]; hasMore: boolean }> {
  const { names, hasMore } = await searchFilesWith(sought)
  const files = new Map(names.map((path) => [path, { path, lines: [] as FoundLine[] }]))
  for (const batch of batchesOf(names))
    await eachFoundLine(sought, batch, (path, line) => files.get(path)?.lines.push(line))
  return { files: [...files.values()], hasMore }
}

function* batchesOf(names: readonly string[]): Generator<string[]> {
  let [batch, bytes]: [string[], number] = [[], 0]
  for (const name of names) {
    bytes += Buffer.byteLength(name) + 16
    if (bytes > longestArgumentBytes) {
      yield batch
      ;[batch, bytes] = [[], 0]
    }
    batch.push(name)
  }
  if (batch.length > 0) yield batch
}

type TakeLine = (path: string, line: FoundLine) => void

async function eachFoundLine(sought: Searched, names: readonly string[], take: TakeLine): Promise<void> {
  const told = ['--no-heading', '--with-filename', '--null', '--line-number', '--byte-offset']
  const asked = ['--no-config', '--color=never', '--no-messages', ...told, `--max-count=${mostLines + 1}`]
  const steps = [[...asked, ...expressionOf(sought, sought.pattern), '--', ...names]]
  const { output, ended, stop } = startRipgrep(sought.rg, sought.root, steps, sought.signal)
  try {
    await readRecords(output, take)
    await ended
  } finally {
    stop()
  }
}

/** Lines of `path NUL line : offset : text`, of which only the beginning is looked at. What is none is a remark of ripgrep's own. */
async function readRecords(output: Readable, take: TakeLine): Promise<void> {
  const longest = 4096 + 40 + longestLineBytes
  let begun = Buffer.alloc(0)
  for await (const piece of output as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, from)) {
      const line = piece.subarray(from, end)
      takeRecord(begun.length > 0 ? Buffer.concat([begun, line]) : line, take)
      begun = Buffer.alloc(0)
      from = end + 1
    }
    if (begun.length < longest) begun = Buffer.concat([begun, piece.subarray(from, from + longest)])
  }
  takeRecord(begun, take)
}

function takeRecord(record: Buffer, take: TakeLine): void {
  const end = record.indexOf(0)
  if (end === -1) return
  const [all, line, offset] = /^(\d+):(\d+):/.exec(record.toString('latin1', end + 1, end + 40)) ?? []
  if (all === undefined) return
  const from = end + 1 + all.length
  const bytes = Buffer.from(record.subarray(from, from + longestLineBytes))
  take(record.toString('utf8', 0, end), { line: Number(line), offset: Number(offset), bytes })
}
