import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'

const largest = 10 * 1024 * 1024

/** Postgres's own log: home/logs/postgres.log, and one older beside it. */
export interface ServerLog {
  /** For the server's stdout and stderr; the caller closes it. */
  open(): number
  /** The last lines since `open`, without those that only turn away clients who came too early. */
  lastLines(): string
  /** What one process wrote since `open`: others may write to the same log. */
  linesOf(pid: number): string
  /** Empties a log that has grown too large while the server writes to it. Never throws: it is called by a timer. */
  keepBounded(): void
}

export function openServerLog(home: string): ServerLog {
  const folder = join(home, 'logs')
  const file = join(folder, 'postgres.log')
  let start = 0
  return {
    open() {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      if (sizeOf(file) > largest) renameSync(file, `${file}.1`)
      start = sizeOf(file)
      return openSync(file, 'a', 0o600)
    },
    lastLines: () =>
      linesFrom(file, start)
        .filter((line) => !/FATAL: {2}the database system is /.test(line))
        .slice(-15)
        .join('\n'),
    linesOf: (pid) =>
      linesFrom(file, start)
        .filter((line) => line.includes(` [${pid}] `))
        .join('\n'),
    keepBounded() {
      try {
        if (sizeOf(file) > 2 * largest) truncateSync(file, 0)
      } catch {
        // a disk that refuses now may not the next time
      }
    },
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** None when somebody took the file away: why Postgres ended matters more than that. */
function linesFrom(file: string, start: number): string[] {
  let handle
  try {
    handle = openSync(file, 'r')
    const { size } = fstatSync(handle)
    const from = Math.max(start, size - 1024 * 1024)
    const buffer = Buffer.alloc(Math.max(size - from, 0))
    const length = readSync(handle, buffer, 0, buffer.length, from)
    return buffer.toString('utf8', 0, length).trim().split('\n')
  } catch {
    return []
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
