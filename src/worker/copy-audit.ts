import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { AuditRecord } from '#contract/audit.ts'
import { copiedAudit, copyAudit } from '#db/audit.ts'
import type { DatabasePool } from '#db/pool.ts'
import { hasCode } from '#lib/error-code.ts'
import type { Keeper } from './keepers.ts'

const chunkBytes = 1_048_576
const largestBatch = 500
const newline = 0x0a

/** How far a keeper's notes were copied: by their own count, and in the file. */
interface Place {
  offset: number
  bytes: number
}

/**
 * Copies what keepers noted of what goes out of their workspaces. Each line once, whoever is killed in between: the table knows which it
 * has. Resolves when all whole lines that were there are copied.
 */
export function openAuditCopies({ pool, log }: { pool: DatabasePool; log: Logger }) {
  const places = new Map<string, Place>()

  async function copy({ id, folder }: Pick<Keeper, 'id' | 'folder'>): Promise<void> {
    const file = await open(join(folder, 'audit.ndjson')).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined
      throw error
    })
    if (!file) return
    try {
      if ((await file.stat()).size === places.get(id)?.bytes) return
      await copyFrom(file, id, places.get(id) ?? { offset: await copiedAudit(pool.db, id), bytes: 0 })
    } finally {
      await file.close()
    }
  }

  async function copyFrom(file: FileHandle, id: string, from: Place): Promise<void> {
    const chunk = Buffer.alloc(chunkBytes)
    for (let place = from; ; places.set(id, place)) {
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, place.bytes)
      const end = chunk.subarray(0, bytesRead).lastIndexOf(newline) + 1
      if (end === 0) return
      const records = recordsIn(chunk.toString('utf8', 0, end)).filter(({ offset }) => offset > place.offset)
      for (let at = 0; at < records.length; at += largestBatch)
        await copyAudit(pool.db, id, records.slice(at, at + largestBatch))
      place = { offset: records.at(-1)?.offset ?? place.offset, bytes: place.bytes + end }
    }
  }

  function recordsIn(text: string): AuditRecord[] {
    return text.split('\n').flatMap((line) => {
      if (line === '') return []
      const record = parsed(line)
      if (!record.success) log.warn({ line: line.slice(0, 200) }, 'a keeper has noted what is not understood')
      return record.success ? [record.data] : []
    })
  }

  return {
    copy,
    /** A keeper is gone for good. */
    forget: (id: string) => void places.delete(id),
  }
}

function parsed(line: string) {
  try {
    return AuditRecord.safeParse(JSON.parse(line))
  } catch {
    return AuditRecord.safeParse(undefined)
  }
}
