import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { SpoolRecord } from '#contract/keeper.ts'
import type { SpoolBatch } from '#flows/copy-spool.ts'

/** Nothing in it can be read beyond this record. Files are not forced to the disk: a power cut can do this. */
export class SpoolDamaged extends Error {
  constructor(file: string, after: number) {
    super(`The spool ${file} does not go on after record ${after}`)
    this.name = 'SpoolDamaged'
  }
}

/** Where a keeper writes what this execution says. It is there as soon as something may have begun. */
export const spoolOf = ({ folder }: { folder: string }, executionId: string): string =>
  join(folder, `${executionId}.ndjson`)

/** How far a spool is in the log: the last record, and where it ends in the file. */
export interface Cursor {
  offset: number
  bytes: number
}

/** About as much as one transaction should carry. Output is cut into small records; what an agent says can be a long one. */
const most = 1_048_576
/** No single record is longer: the keeper sees to that. */
const longestRecord = 67_108_864

const newline = 0x0a

/**
 * Reads the whole records after the cursor, as far as the file goes or one batch holds. A record that is cut off at the
 * end was being written when its keeper died: it was never told to anyone, and does not count.
 */
export async function readSpool(file: string, { offset, bytes }: Cursor): Promise<SpoolBatch | undefined> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!handle) return undefined
  try {
    const { size } = await handle.stat()
    if (size <= bytes) return undefined
    const { piece, end } = await readLines(handle, bytes, size - bytes)
    if (end === 0) return undefined
    const lines = piece.toString('latin1', 0, end).split('\n').slice(0, -1)
    const records = soundRecords(lines, offset)
    if (records.length === 0) throw new SpoolDamaged(file, offset)
    const read = lines.slice(0, records.length).reduce((sum, line) => sum + line.length + 1, 0)
    return { from: offset, to: offset + records.length, bytes: bytes + read, records, ...sizeOf(records) }
  } finally {
    await handle.close()
  }
}

/** Whole lines from this place on: as many as fit, or the first one, however long. */
async function readLines(
  handle: FileHandle,
  from: number,
  available: number,
): Promise<{ piece: Buffer; end: number }> {
  for (let room = most; ; room *= 4) {
    const piece = Buffer.allocUnsafe(Math.min(room, available))
    const { bytesRead } = await handle.read(piece, 0, piece.length, from)
    const end = piece.subarray(0, bytesRead).lastIndexOf(newline) + 1
    if (end > 0 || room >= available || room >= longestRecord) return { piece, end }
  }
}

/** Up to the first line that is no record, or not the next one. */
function soundRecords(lines: string[], after: number): SpoolRecord[] {
  const records: SpoolRecord[] = []
  for (const line of lines) {
    const record = parse(line)
    if (record?.offset !== after + records.length + 1) break
    records.push(record)
  }
  return records
}

/** Lines were cut as bytes, so that their lengths are those in the file; few of them hold more than ASCII. */
function parse(line: string): SpoolRecord | undefined {
  try {
    return JSON.parse(/[\x80-\xff]/.test(line) ? Buffer.from(line, 'latin1').toString() : line)
  } catch {
    return undefined
  }
}

/** What the program or the agent itself says. */
function outputOf({ type, payload }: SpoolRecord): Buffer | undefined {
  if (type === 'data-terminal' && payload.stream !== 'system') return Buffer.from(payload.chunk, 'base64')
  if (type === 'chunk' && payload.type === 'text-delta') return Buffer.from(String(payload['delta']))
  return undefined
}

/** What people count: bytes and lines of output, ours not among them. */
export function sizeOf(records: readonly SpoolRecord[]): { logBytes: number; logLines: number } {
  let [logBytes, logLines] = [0, 0]
  for (const record of records) {
    const chunk = outputOf(record)
    if (!chunk) continue
    logBytes += chunk.length
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) logLines += 1
  }
  return { logBytes, logLines }
}
