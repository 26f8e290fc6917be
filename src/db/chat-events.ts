import { jsonAsText, largestPage } from './events.ts'
import type { StoredEvent } from './events.ts'
import type { Database, Tx } from './pool.ts'

const mostEvents = 1_000

// What a program wrote beside its protocol is no part of a conversation.
const chatText = `
  select seq, "executionId", type, payload, at from (
    select *, sum(size) over (order by seq rows unbounded preceding) - size as before from (
      select seq, execution_id as "executionId", type, payload, at, size
      from events
      where stream_id = $1 and seq > $2 and seq <= $3 and execution_id is not null
        and type not in ('data-terminal', 'data-frame')
      order by seq limit ${mostEvents}
    ) as next
  ) as measured
  where before < ${largestPage} order by seq`

/** The next page of what was said in a session after `after` and up to `upTo`. When it is empty there is nothing more. */
export async function readChatEvents(
  db: Database,
  sessionId: string,
  after: number,
  upTo: number,
): Promise<StoredEvent[]> {
  const { rows } = await db.$client.query<StoredEvent>({
    name: 'read_chat_events',
    text: chatText,
    values: [sessionId, after, upTo],
    types: jsonAsText,
  })
  return rows
}

/** Where the session was started afresh the last time; 0 when it never was. */
export async function lastFreshStart(db: Database, sessionId: string): Promise<number> {
  const { rows } = await db.$client.query<{ seq: number }>(
    `select coalesce(max(seq), 0) as seq from events where stream_id = $1 and type = 'data-afresh'`,
    [sessionId],
  )
  return rows[0]?.seq ?? 0
}

/** How far the stream is, for whoever holds its lock. */
export async function lockedSeq(tx: Tx, streamId: string): Promise<number> {
  const { rows } = await tx.$client.query<{ seq: number }>(
    'select last_seq as seq from streams where id = $1',
    [streamId],
  )
  return rows[0]?.seq ?? 0
}
