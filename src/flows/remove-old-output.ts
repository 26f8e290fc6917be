import { deleteOutput, findOldOutput, markOutputRemoved } from '#db/output.ts'
import type { DatabasePool } from '#db/pool.ts'

const day = 24 * 60 * 60 * 1000
const batch = 2_000

/**
 * Removes what executions said that ended more than `retentionDays` ago; their rows and their history stay. Each batch is
 * a transaction of its own: it can be cut short anywhere, and the next one goes on. Answers with how many events are gone.
 */
export async function removeOldOutput(
  pool: Pick<DatabasePool, 'db' | 'transaction'>,
  retentionDays: number,
  { now = new Date(), signal }: { now?: Date; signal?: AbortSignal } = {},
): Promise<number> {
  const ago = (days: number) => new Date(now.getTime() - days * day)
  let removed = 0
  for (const place of await findOldOutput(pool.db, ago(retentionDays), ago(30)))
    for (let more = true; more && !signal?.aborted;) {
      const gone = await pool.transaction(async (tx) => {
        await markOutputRemoved(tx, place.executionId)
        return deleteOutput(tx, place, batch)
      })
      removed += gone
      more = gone === batch
    }
  return removed
}
