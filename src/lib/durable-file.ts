import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'

/** Writes a new file for its owner alone, and returns once the disk has it. */
export function writeDurably(file: string, content: string): void {
  const handle = openSync(file, 'wx', 0o600)
  try {
    writeSync(handle, content)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Readers see the old content or the new, never a part. */
export function replaceFile(file: string, content: string): void {
  const next = `${file}.${randomUUID()}`
  try {
    writeDurably(next, content)
    renameSync(next, file)
  } catch (error) {
    rmSync(next, { force: true })
    throw error
  }
}
