import type { LogStream, TerminalChunk } from '#contract/execution.ts'
import { jsonAsText, largestPage } from './events.ts'
import { unpack, wholeSize } from './packed.ts'
import type { Database, Tx } from './pool.ts'

/** Where an execution's output lies in its session's stream. */
export interface OutputPlace {
  sessionId: string
  executionId: string
}

/** An event that says something, its payload still JSON text. */
export interface OutputEvent {
  seq: number
  type: string
  payload: string
}

const mostEvents = 1_000

const outputText = `
  select seq, type, payload, packed from (
    select *, sum(size) over (order by seq rows unbounded preceding) - size as before from (
      select seq, type, payload, packed, ${wholeSize} as size
      from events
      where stream_id = $1 and seq > $3 and seq <= $4
        and execution_id = $2 and type = any($5)
      order by seq limit ${mostEvents}
    ) as next
  ) as measured
  where before < ${largestPage} order by seq`

/** The next page of what it said after `after` and up to `upTo`. When it is empty there is nothing more. */
export async function readOutput(
  db: Database,
  { sessionId, executionId }: OutputPlace,
  after: number,
  upTo: number,
  types: readonly string[],
): Promise<OutputEvent[]> {
  const { rows } = await db.$client.query<OutputEvent>({
    name: 'read_output',
    text: outputText,
    values: [sessionId, executionId, after, upTo, types],
    types: jsonAsText,
  })
  return unpack(rows)
}

/** The last bytes of a chunk, enough to hold a character that it does not finish. */
export interface ChunkEnd {
  stream: LogStream
  end: string
}

/** How the last chunks up to `upTo` end, oldest first. */
export async function readChunkEnds(
  db: Database,
  { sessionId, executionId }: OutputPlace,
  upTo: number,
  count: number,
): Promise<ChunkEnd[]> {
  const { rows } = await db.$client.query<{ payload: TerminalChunk }>({
    name: 'read_chunk_ends',
    text: `select payload from events
      where stream_id = $1 and seq <= $3 and execution_id = $2 and type = 'data-terminal'
      order by seq desc limit $4`,
    values: [sessionId, executionId, upTo, count],
  })
  return rows.toReversed().map(({ payload: { stream, chunk } }) => ({ stream, end: chunk.slice(-8) }))
}

/** Executions whose output is due to be removed, and those where removing it may have been cut short. */
export async function findOldOutput(
  db: Database,
  endedBefore: Date,
  removedSince: Date,
): Promise<OutputPlace[]> {
  const { rows } = await db.$client.query<OutputPlace>(
    `select id as "executionId", session_id as "sessionId" from executions
     where (output_removed_at is null and ended_at < $1) or output_removed_at >= $2
     order by ended_at`,
    [endedBefore, removedSince],
  )
  return rows
}

/** From here on nobody is given a part of it as if it were the whole. */
export async function markOutputRemoved(tx: Tx, executionId: string): Promise<void> {
  await tx.$client.query(
    `update executions set output_removed_at = now()
     where id = $1 and ended_at is not null and output_removed_at is null`,
    [executionId],
  )
}

/** Removes the next of what an ended execution said; answers with how many events that were. */
export async function deleteOutput(
  tx: Tx,
  { sessionId, executionId }: OutputPlace,
  limit: number,
): Promise<number> {
  const { rowCount } = await tx.$client.query(
    `delete from events where stream_id = $1 and seq in (
       select event.seq from events event join executions on executions.id = event.execution_id
       where event.stream_id = $1 and event.execution_id = $2 and event.type in ('data-terminal', 'data-frame')
         and event.seq between executions.first_seq and executions.last_seq
         and executions.output_removed_at is not null
       order by event.seq limit $3)`,
    [sessionId, executionId, limit],
  )
  return rowCount ?? 0
}
