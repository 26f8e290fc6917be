import { setTimeout as wait } from 'node:timers/promises'
import { noteAudits } from './audit.ts'
import type { AuditNote } from './audit.ts'
import { isDatabaseAway } from './failure.ts'
import type { Database } from './pool.ts'

/** Writes down what is done, in as few statements as it can. */
export interface AuditBook {
  /** Resolves with its number once it is committed. Waits for a database that is away for a moment only; then it rejects. */
  note(note: AuditNote): Promise<number>
}

interface Waiting {
  note: AuditNote
  written: PromiseWithResolvers<number>
}

const largestBatch = 500
const awayMs = 10_000

/** What comes while one statement is under way goes into the next one together. */
export function openAuditBook(db: Database): AuditBook {
  const waiting: Waiting[] = []
  let isWriting = false

  async function writeAll(): Promise<void> {
    if (isWriting) return
    isWriting = true
    for (
      let batch = waiting.splice(0, largestBatch);
      batch.length > 0;
      batch = waiting.splice(0, largestBatch)
    )
      await write(batch)
    isWriting = false
  }

  async function write(batch: Waiting[]): Promise<void> {
    try {
      const ids = await insist(() =>
        noteAudits(
          db,
          batch.map(({ note }) => note),
        ),
      )
      for (const [index, { written }] of batch.entries()) written.resolve(ids[index] ?? 0)
    } catch (error) {
      for (const { written } of batch) written.reject(error)
    }
  }

  return {
    note(note) {
      const written = Promise.withResolvers<number>()
      waiting.push({ note, written })
      void writeAll()
      return written.promise
    },
  }
}

/** What was done has been done: it is worth a few attempts to say so. */
async function insist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (const late = Date.now() + awayMs; ; await wait(250)) {
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > late) throw error
    }
  }
}
