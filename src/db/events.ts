import { and, asc, eq, sql } from 'drizzle-orm'
import pg from 'pg'
import type { BoardEvents } from '#contract/board-event.ts'
import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent, StreamEvent } from '#contract/event.ts'
import type { TaskEvent } from '#contract/task.ts'
import { unpack, wholeSize } from './packed.ts'
import type { Database, Tx } from './pool.ts'
import { events } from './schema.ts'

/** What a transaction has locked is locked until it ends: flows that call each other ask once. */
const lockedBy = new WeakMap<Tx, Set<string>>()

/** Waits until no one else writes this stream. Streams are locked first, everywhere, sorted by id: the one lock order. */
export async function lockStream(tx: Tx, streamId: string): Promise<void> {
  const locked = lockedBy.get(tx) ?? new Set()
  if (locked.has(streamId)) return
  await tx.$client.query({
    name: 'lock_stream',
    text: 'select 1 from streams where id = $1 for update',
    values: [streamId],
  })
  lockedBy.set(tx, locked.add(streamId))
}

/** The board's, then this one's, asked for at once. Answers with the last `seq` of the latter; 0 when there is none. */
export async function lockWithBoard(tx: Tx, streamId: string): Promise<number> {
  const { rows } = await tx.$client.query<{ id: string; seq: number }>({
    name: 'lock_with_board',
    text: 'select id, last_seq as seq from streams where id = any($1::uuid[]) order by id <> $2::uuid for update',
    values: [[BOARD_STREAM, streamId], BOARD_STREAM],
  })
  const locked = lockedBy.get(tx) ?? new Set()
  lockedBy.set(tx, locked.add(BOARD_STREAM).add(streamId))
  return rows.find(({ id }) => id === streamId)?.seq ?? 0
}

/** Counts a stream up, if what is added to its condition holds, and inserts there what `columnsOf` makes of events: $1 to $5. */
export const appending = (condition = '') => `
  counted as (
    update streams set last_seq = last_seq + cardinality($2::text[]), last_at = now()
    where id = $1 ${condition}
    returning last_seq - cardinality($2::text[]) as base
  ), appended as (
    insert into events (stream_id, seq, type, payload, execution_id, task_id)
    select $1, base + place, type, payload, execution_id, task_id
    from counted, unnest($2::text[], $3::json[], $4::uuid[], $5::uuid[])
      with ordinality as new (type, payload, execution_id, task_id, place)
    returning seq
  )
  select max(seq) as seq, pg_notify('events', $1 || ':' || max(seq)) from appended`

export const columnsOf = (streamId: string, batch: readonly NewEvent[]) => [
  streamId,
  batch.map((event) => event.type),
  batch.map((event) => JSON.stringify(event.payload)),
  batch.map((event) => event.executionId ?? null),
  batch.map((event) => event.taskId ?? null),
]

const appendText = `with ${appending()}`

/** Appends in order, notifies once, and answers with the last `seq`. Nobody but Postgres ever assigns one. */
export async function appendEvents(tx: Tx, streamId: string, batch: readonly NewEvent[]): Promise<number> {
  const { rows } = await tx.$client.query<{ seq: number | null }>({
    name: 'append_events',
    text: appendText,
    values: columnsOf(streamId, batch),
  })
  const seq = rows[0]?.seq
  if (seq === null || seq === undefined) throw new Error(`No stream ${streamId}`)
  return seq
}

/** Something that happens on the board, and to which task. */
export const boardEvent = <Type extends keyof BoardEvents>(
  type: Type,
  payload: BoardEvents[Type],
  taskId?: string,
): NewEvent => ({ type, payload, ...(taskId && { taskId }) })

export async function tellBoard(tx: Tx, ...happened: NewEvent[]): Promise<void> {
  if (happened.length > 0) await appendEvents(tx, BOARD_STREAM, happened)
}

export async function lastSeq(db: Database | Tx, streamId: string): Promise<number | undefined> {
  const { rows } = await db.$client.query<{ seq: number }>({
    name: 'last_seq',
    text: 'select last_seq as seq from streams where id = $1',
    values: [streamId],
  })
  return rows[0]?.seq
}

/** An event as it stands in the table, its payload still JSON text: readers pass it on without parsing it. */
export type StoredEvent = Omit<StreamEvent, 'payload' | 'at'> & { payload: string; at: Date }

/** Some of a stream's events, in order; `more` when others may follow that were left out for their size or number. */
export interface EventPage {
  events: StoredEvent[]
  more: boolean
}

/** What a page may bring into memory, beside the event that goes beyond it. */
export const largestPage = 2_097_152

// The sizes are looked at before a payload is: those beyond the page are never read.
const pageText = (side: string, order: string) => `
  select seq, "executionId", type, payload, packed, at from (
    select *, sum(size) over (order by ${order} rows unbounded preceding) - size as before from (
      select seq, execution_id as "executionId", type, payload, packed, at, ${wholeSize} as size
      from events where stream_id = $1 and ${side} order by ${order} limit $3
    ) as next
  ) as measured
  where before < ${largestPage} order by seq`
const readText = pageText('seq > $2', 'seq')
const readBackText = pageText('seq < $2', 'seq desc')

export async function readEvents(
  db: Database,
  streamId: string,
  after: number,
  limit: number,
): Promise<EventPage> {
  const { rows } = await db.$client.query<StoredEvent>({
    name: 'read_events',
    text: readText,
    values: [streamId, after, limit],
    types: jsonAsText,
  })
  const events = await unpack(rows)
  return { events, more: events.length === limit || sizeOf(events) > largestPage / 4 }
}

/** The last ones before a place of the stream, in order: as many as fit into a page. */
export async function readEventsBefore(
  db: Database,
  streamId: string,
  before: number,
  limit: number,
): Promise<StoredEvent[]> {
  const { rows } = await db.$client.query<StoredEvent>({
    name: 'read_events_before',
    text: readBackText,
    values: [streamId, before, limit],
    types: jsonAsText,
  })
  return unpack(rows)
}

// In characters, which have up to three bytes: at worst one look too many is taken.
export const sizeOf = (rows: readonly StoredEvent[]) =>
  rows.reduce((sum, { payload }) => sum + payload.length, 0)

/** Leaves JSON as it stands, and lets Postgres hand it out without a copy. */
export const jsonAsText: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === pg.types.builtins.JSON ? (text: string) => text : pg.types.getTypeParser(oid, format),
}

export async function readTaskEvents(db: Database, taskId: string, page: number, pageSize: number) {
  const ofTask = and(eq(events.taskId, taskId), eq(events.streamId, BOARD_STREAM))
  const [counted] = await db
    .select({ total: sql<number>`count(*)` })
    .from(events)
    .where(ofTask)
  const rows = await db
    .select({ seq: events.seq, type: events.type, payload: events.payload, at: events.at })
    .from(events)
    .where(ofTask)
    .orderBy(asc(events.seq))
    .limit(pageSize)
    .offset((page - 1) * pageSize)
  const data: TaskEvent[] = rows.map((row) => ({
    seq: row.seq,
    type: row.type.replace(/^task\./, '').replace('.', '_'), // `execution.queued` is `execution_queued` here
    payload: row.payload as TaskEvent['payload'],
    at: row.at.toISOString(),
  }))
  return { data, total: counted?.total ?? 0 }
}
