import type { NewEvent } from '#contract/event.ts'
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
  ), counted as (
    update streams set last_seq = last_seq + cardinality($2::text[])
    where id = $1 and exists (select 1 from moved)
    returning last_seq - cardinality($2::text[]) as base
  ), appended as (
    insert into events (stream_id, seq, type, payload, execution_id, task_id)
    select $1, base + place, type, payload, execution_id, task_id
    from counted, unnest($2::text[], $3::json[], $4::uuid[], $5::uuid[])
      with ordinality as new (type, payload, execution_id, task_id, place)
    returning seq
  )
  select max(seq) as seq, pg_notify('events', $1 || ':' || max(seq)) from appended having count(*) > 0`

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
    values: [
      sessionId,
      batch.map((event) => event.type),
      batch.map((event) => JSON.stringify(event.payload)),
      batch.map((event) => event.executionId ?? null),
      batch.map((event) => event.taskId ?? null),
      executionId,
      epoch,
      from,
      to,
      bytes,
      logBytes,
      logLines,
    ],
  })
  if (rows.length === 0) throw new LeaseLost(executionId)
}
