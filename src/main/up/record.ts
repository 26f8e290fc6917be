import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { UpRecord } from '#contract/up.ts'
import type { RecordedChild } from '#contract/up.ts'
import { replaceFile } from '#lib/durable-file.ts'
import { identify } from '#lib/process-identity.ts'

const fileIn = (home: string) => join(home, 'up.json')

/** Undefined when there is none, or none that can be read. */
export function readRecord(home: string): UpRecord | undefined {
  try {
    return UpRecord.parse(JSON.parse(readFileSync(fileIn(home), 'utf8')))
  } catch {
    return undefined
  }
}

export interface OwnRecord {
  /** Before anything else can happen to a child, so that the next `up` can end it if we are killed. */
  setChild(child: RecordedChild): void
  setUrl(url: string): void
  remove(): void
}

/** A disk that is full must not end what runs: a record that cannot be written is told to the log, and that is all. */
export function openRecord(home: string, log: Pick<Logger, 'warn'>): OwnRecord {
  const self = identify(process.pid) ?? { pid: process.pid, startTime: '', bootId: '' }
  const record: UpRecord = { ...self, startedAt: new Date().toISOString(), children: [] }
  const write = () => {
    try {
      replaceFile(fileIn(home), `${JSON.stringify(record, null, 2)}\n`)
    } catch (error) {
      log.warn({ err: error }, 'up.json could not be written')
    }
  }
  write()
  return {
    setChild(child) {
      record.children = [...record.children.filter(({ name }) => name !== child.name), child]
      write()
    },
    setUrl(url) {
      record.url = url
      write()
    },
    remove: () => rmSync(fileIn(home), { force: true }),
  }
}
