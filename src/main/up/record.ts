import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { z } from 'zod'
import { replaceFile } from '#lib/durable-file.ts'
import { identify } from '#lib/process-identity.ts'

export const Identity = z.object({ pid: z.int().positive(), startTime: z.string(), bootId: z.string() })

/** home/up.json: what runs in this home, for the command line and for the next `up`. */
const UpRecord = Identity.extend({
  url: z.string().optional(),
  startedAt: z.iso.datetime(),
  children: z.array(Identity.extend({ name: z.string() })),
})
type UpRecord = z.infer<typeof UpRecord>
export type RecordedChild = UpRecord['children'][number]

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
