import { findExecution } from '#db/executions.ts'
import { chatsEndedSince, packEvents } from '#db/packed.ts'
import type { DatabasePool } from '#db/pool.ts'

type Pool = Pick<DatabasePool, 'db'>

const day = 24 * 60 * 60 * 1000
const days = 3

/** Keeps what was said at length in a turn with a model compressed, once that is over. Answers with how many events that were. */
export async function packTurn(pool: Pool, executionId: string): Promise<number> {
  const row = await findExecution(pool.db, executionId)
  if (!row?.endedAt || row.queue !== 'chat' || row.lastSeq === null) return 0
  return packEvents(pool, { sessionId: row.sessionId, firstSeq: row.firstSeq, lastSeq: row.lastSeq })
}

/** Those turns of the last days where whoever drove them did not get to it. */
export async function packRecentTurns(pool: Pool): Promise<number> {
  let packed = 0
  for (const id of await chatsEndedSince(pool.db, new Date(Date.now() - days * day)))
    packed += await packTurn(pool, id)
  return packed
}
