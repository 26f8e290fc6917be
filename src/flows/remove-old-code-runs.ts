import { deleteUnusedImages } from '#db/code-images.ts'
import { deleteEndedRuns } from '#db/code-runs.ts'
import type { DatabasePool } from '#db/pool.ts'

const day = 24 * 60 * 60 * 1000
const batch = 500

/** Removes runs of code that ended more than `retentionDays` ago, and what only they needed. Answers with how many that were. */
export async function removeOldCodeRuns(
  pool: Pick<DatabasePool, 'db' | 'transaction'>,
  retentionDays: number,
  now = new Date(),
): Promise<number> {
  const before = new Date(now.getTime() - retentionDays * day)
  let removed = 0
  for (let gone = batch; gone === batch; removed += gone)
    gone = await pool.transaction((tx) => deleteEndedRuns(tx, before, batch))
  await deleteUnusedImages(pool.db, before)
  return removed
}
