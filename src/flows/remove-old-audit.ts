import { deleteAudit } from '#db/audit.ts'
import type { DatabasePool } from '#db/pool.ts'

const day = 24 * 60 * 60 * 1000
const batch = 5_000

/** Removes what was noted more than `retentionDays` ago, a batch at a time. Answers with how many entries are gone. */
export async function removeOldAudit(
  { db }: Pick<DatabasePool, 'db'>,
  retentionDays: number,
  { now = new Date(), signal }: { now?: Date; signal?: AbortSignal } = {},
): Promise<number> {
  const before = new Date(now.getTime() - retentionDays * day)
  let removed = 0
  for (let gone = batch; gone === batch && !signal?.aborted; removed += gone)
    gone = await deleteAudit(db, before, batch)
  return removed
}
