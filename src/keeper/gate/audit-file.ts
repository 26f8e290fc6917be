import { closeSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import type { AuditRecord } from '#contract/audit.ts'
import { openRefusals } from './refusals.ts'
import type { RefusalPace } from './refusals.ts'

export type Noted = Omit<AuditRecord, 'offset' | 'at'>

/** What goes out of a workspace, line by line. */
export interface Audit {
  /** It is in the file when this returns its offset. Throws when it cannot be, and then nothing of it is there. */
  note(entry: Noted): number
  /** The same for what has happened already: kept until it can be written, before anything else. Never throws. */
  noteInTime(entry: Noted): void
  /** For what was not let through: the first of a place as `note` does, further ones soon after as one, with `times`. */
  noteRefusal(entry: Noted): void
  close(): void
}

/** As much as a million connections; whoever knocks at every door must not fill the disk. */
const usualMostBytes = 256 * 1024 * 1024
/** Longer than any line. */
const tailBytes = 65_536

/** The file `audit.ndjson` in the keeper's folder: made with the first line, gone on with when it is there. */
export function openAuditFile(file: string, mostBytes = usualMostBytes, pace?: RefusalPace): Audit {
  const late: Noted[] = []
  let handle: number | undefined
  let offset = 0
  let size = 0

  function open(): number {
    const opened = openSync(file, 'a+', 0o600)
    const end = wholeLines(opened)
    offset = end.offset
    size = end.bytes
    return opened
  }

  function write(entry: Noted): void {
    handle ??= open()
    // What a full disk has left of a line.
    if (fstatSync(handle).size !== size) ftruncateSync(handle, size)
    const record: AuditRecord = { offset: offset + 1, at: new Date().toISOString(), ...entry }
    const line = Buffer.from(`${JSON.stringify(record)}\n`)
    if (size + line.length > mostBytes) throw new Error(`${file} is full`)
    for (let written = 0; written < line.length;) written += writeSync(handle, line, written)
    offset += 1
    size += line.length
  }

  function writeLate(): void {
    for (let next = late[0]; next; next = late[0]) {
      write(next)
      late.shift()
    }
  }

  function note(entry: Noted): number {
    writeLate()
    write(entry)
    return offset
  }

  function noteInTime(entry: Noted): void {
    late.push(entry)
    try {
      writeLate()
    } catch {
      // before the next one, which does not happen without it
    }
  }

  const refusals = openRefusals({ note, noteInTime }, pace)
  return {
    note,
    noteInTime,
    noteRefusal: refusals.note,
    close() {
      refusals.close()
      if (handle !== undefined) closeSync(handle)
      handle = undefined
    },
  }
}

/** How far the file is whole: somebody may have been killed in the middle of a line. */
function wholeLines(handle: number): { offset: number; bytes: number } {
  const { size } = fstatSync(handle)
  const tail = Buffer.alloc(Math.min(size, tailBytes))
  readSync(handle, tail, 0, tail.length, size - tail.length)
  const end = tail.lastIndexOf('\n')
  if (end < 0) return { offset: 0, bytes: 0 }
  const begin = tail.lastIndexOf('\n', end - 1) + 1
  const { offset }: AuditRecord = JSON.parse(tail.subarray(begin, end).toString())
  return { offset, bytes: size - tail.length + end + 1 }
}
