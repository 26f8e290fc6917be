import { closeSync, mkdirSync, openSync, readdirSync, unlinkSync, writeSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'

const DAY = 86_400_000
const RETRY = 30_000

/** A log file on disk. `write` never throws: when the disk refuses, `onTrouble` is told once until it works again. */
export interface LogFile {
  write(line: string): void
  /** Looks for old files again, with another limit. */
  keepDays(days: number): void
  close(): void
}

interface Options {
  /** `daily` puts the day (UTC, as in the lines) into the name: web.log → web.2026-01-31.log. */
  rotation: 'daily' | 'none'
  retentionDays: number
  onTrouble: (error: unknown) => void
}

// Lines are written at once and by this thread: nothing is lost when the process is killed, and a thread of its own
// would cost each process ten megabytes.
export function openLogFile(path: string, { rotation, retentionDays, onTrouble }: Options): LogFile {
  let days = retentionDays
  let file: number | undefined
  let until = 0
  let troubled = false

  const close = () => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  const open = (now: number) => {
    close()
    until = now + RETRY
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    file = openSync(rotation === 'daily' ? dated(path, now) : path, 'a', 0o600)
    until = rotation === 'daily' ? (Math.floor(now / DAY) + 1) * DAY : Number.POSITIVE_INFINITY
    if (rotation === 'daily') removeOld(path, now, days)
  }
  const safely = (work: () => void) => {
    try {
      work()
      troubled &&= file === undefined
    } catch (error) {
      close()
      until = Date.now() + RETRY
      if (!troubled) onTrouble(error)
      troubled = true
    }
  }
  safely(() => open(Date.now()))
  return {
    write: (line) =>
      safely(() => {
        const now = Date.now()
        if (now >= until) open(now)
        if (file !== undefined) writeSync(file, line)
      }),
    keepDays: (limit) => {
      days = limit
      if (rotation === 'daily') safely(() => removeOld(path, Date.now(), days))
    },
    close,
  }
}

function dated(path: string, now: number): string {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.${new Date(now).toISOString().slice(0, 10)}${extension}`
}

/** Removes what `dated` named, and nothing else. */
function removeOld(path: string, now: number, days: number): void {
  const extension = extname(path)
  const start = `${basename(path, extension)}.`
  for (const name of readdirSync(dirname(path))) {
    const day = name.slice(start.length, name.length - extension.length)
    if (`${start}${day}${extension}` !== name || !/^\d{4}-\d\d-\d\d$/.test(day)) continue
    if (now - Date.parse(day) < (days + 1) * DAY) continue
    try {
      unlinkSync(join(dirname(path), name))
    } catch {
      // Another process of ours was quicker, or the file is not ours to remove: nothing is lost by leaving it.
    }
  }
}
