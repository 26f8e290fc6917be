import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import type { SpoolRecord } from '#contract/keeper.ts'
import { appendEvents, lockStream } from '#db/events.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { moveCursor } from '#db/leases.ts'
import type { CursorMove, Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { finish } from './end-execution.ts'

export interface SpoolBatch extends CursorMove {
  records: SpoolRecord[]
}

/** Appends what a keeper recorded, once: the cursor moves in the same transaction. With the last record it ends. */
export async function copySpool(tx: Tx, lease: Lease, batch: SpoolBatch): Promise<ExecutionRow> {
  const started = batch.records.find((record) => record.type === 'started')
  const ended = batch.records.find((record) => record.type === 'ended')
  if (ended) await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, lease.sessionId)
  const row = await moveCursor(tx, lease, { ...batch, pid: started?.payload.pid })
  const events = batch.records.flatMap((record) => asEvents(record, lease.executionId))
  if (events.length > 0) await appendEvents(tx, lease.sessionId, events)
  return ended ? finish(tx, row, ended.payload) : row
}

function asEvents(record: SpoolRecord, executionId: string): NewEvent[] {
  if (record.type !== 'data-terminal') return [] // what they tell stands in the row
  return [{ type: record.type, payload: record.payload, executionId }]
}
