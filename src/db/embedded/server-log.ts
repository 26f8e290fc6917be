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
  /** What was written since `open`, its last lines. */
  lastLines(): string
  /** Empties a log that has grown too large while the server writes to it. */
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
    lastLines: () => readFrom(file, start).trim().split('\n').slice(-15).join('\n'),
    keepBounded() {
      if (sizeOf(file) > 2 * largest) truncateSync(file, 0)
    },
  }
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0

function readFrom(file: string, start: number): string {
  const handle = openSync(file, 'r')
  try {
    const { size } = fstatSync(handle)
    const from = Math.max(start, size - 16_384)
    const buffer = Buffer.alloc(Math.max(size - from, 0))
    return buffer.toString('utf8', 0, readSync(handle, buffer, 0, buffer.length, from))
  } finally {
    closeSync(handle)
  }
}
