import type { LogStream } from '#contract/execution.ts'
import { largestPage } from './events.ts'
import type { Database } from './pool.ts'

/** Where an execution's output lies in its session's stream. */
export interface OutputPlace {
  sessionId: string
  executionId: string
}

/** A `data-terminal` or `data-status` event, its payload still JSON text. */
export interface OutputEvent {
  seq: number
  type: string
  payload: string
}

const mostEvents = 1_000

const outputText = `
  select seq, type, payload::text as payload from (
    select *, sum(size) over (order by seq rows unbounded preceding) - size as before from (
      select seq, type, payload, pg_column_size(payload) as size
      from events
      where stream_id = $1 and seq > $3 and seq <= $4
        and execution_id = $2 and type in ('data-terminal', 'data-status')
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
): Promise<OutputEvent[]> {
  const { rows } = await db.$client.query<OutputEvent>({
    name: 'read_output',
    text: outputText,
    values: [sessionId, executionId, after, upTo],
  })
  return rows
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
  const { rows } = await db.$client.query<ChunkEnd>({
    name: 'read_chunk_ends',
    text: `select payload->>'stream' as stream, right(payload->>'chunk', 8) as "end" from events
      where stream_id = $1 and seq <= $3 and execution_id = $2 and type = 'data-terminal'
      order by seq desc limit $4`,
    values: [sessionId, executionId, upTo, count],
  })
  return rows.toReversed()
}
