import type { NewEvent } from '#contract/event.ts'
import { appending, columnsOf } from './events.ts'
import { LeaseLost } from './leases.ts'
import type { CursorMove, Lease } from './leases.ts'
import type { Tx } from './pool.ts'

// Each part waits for the one before by naming it: the stream is locked first, as everywhere, and nothing is appended unless the cursor
// has moved.
const text = `
  with locked as materialized (
    select id from streams where id = $1 for update
  ), moved as (
    update executions set copied_to = $9, copied_bytes = $10, log_bytes = log_bytes + $11, log_lines = log_lines + $12
    where id = $6 and lease_epoch = $7 and copied_to = $8 and ended_at is null and exists (select 1 from locked)
    returning id
  ), ${appending('and exists (select 1 from moved)')} having count(*) > 0`

/** Moves the cursor and appends, in one statement, which needs no transaction around it. All of it happens, or nothing. */
export async function appendMoved(
  tx: Tx,
  { executionId, sessionId, epoch }: Lease,
  { from, to, bytes, logBytes, logLines }: CursorMove,
  batch: readonly NewEvent[],
): Promise<void> {
  const { rows } = await tx.$client.query({
    name: 'append_moved',
    text,
    values: [...columnsOf(sessionId, batch), executionId, epoch, from, to, bytes, logBytes, logLines],
  })
  if (rows.length === 0) throw new LeaseLost(executionId)
}
