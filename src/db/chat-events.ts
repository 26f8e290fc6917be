import type { Mark } from '#domain/conversation.ts'
import { jsonAsText, largestPage, sizeOf } from './events.ts'
import type { EventPage, StoredEvent } from './events.ts'
import { unpack, wholeSize } from './packed.ts'
import type { Database, Tx } from './pool.ts'

const mostEvents = 1_000
const isSaid = `execution_id is not null and type not in ('data-terminal', 'data-frame')`
const marks = ['data-afresh', 'data-branch', 'data-forked']
const marksText = `type in (${marks.map((type) => `'${type}'`).join(', ')})`

// What a program wrote beside its protocol is no part of a conversation.
const chatText = (which: string) => `
  select seq, "executionId", type, payload, packed, at from (
    select *, sum(size) over (order by seq rows unbounded preceding) - size as before from (
      select seq, execution_id as "executionId", type, payload, packed, at, ${wholeSize} as size
      from events
      where stream_id = $1 and seq > $2 and ${which}
      order by seq limit ${mostEvents}
    ) as next
  ) as measured
  where before < ${largestPage} order by seq`

/** The next page of what was said in a session after `after` and up to `upTo`. When it is empty there is nothing more. */
export async function readChatEvents(
  db: Database | Tx,
  sessionId: string,
  after: number,
  upTo: number,
): Promise<StoredEvent[]> {
  const { rows } = await db.$client.query<StoredEvent>({
    name: 'read_chat_events',
    text: chatText(`seq <= $3 and ${isSaid}`),
    values: [sessionId, after, upTo],
    types: jsonAsText,
  })
  return unpack(rows)
}

/** What was said since, with what changes which events belong to the conversation; `more` when this is not all of it. */
export async function readNewer(db: Database | Tx, sessionId: string, after: number): Promise<EventPage> {
  const { rows } = await db.$client.query<StoredEvent>({
    name: 'read_newer_chat_events',
    text: chatText(`((${isSaid}) or ${marksText})`),
    values: [sessionId, after],
    types: jsonAsText,
  })
  const events = await unpack(rows)
  return { events, more: events.length === mostEvents || sizeOf(events) > largestPage / 4 }
}

export const isMark = ({ type }: Pick<StoredEvent, 'type'>): boolean => marks.includes(type)

/** Where a fork comes from, and how far that was. */
export interface ForkedFrom {
  type: 'data-forked'
  parentSessionId: string
  /** Missing where the agent itself knows what was said. */
  after?: number
}

/** What changes which events of a session belong to its conversation, up to `upTo`, in order. */
export async function readMarks(
  db: Database | Tx,
  sessionId: string,
  upTo: number,
): Promise<(Mark | ({ seq: number } & ForkedFrom))[]> {
  const { rows } = await db.$client.query<{ seq: number; type: Mark['type']; payload: object }>({
    name: 'read_marks',
    text: `select seq, type, payload from events
      where stream_id = $1 and seq <= $2 and ${marksText}
      order by seq`,
    values: [sessionId, upTo],
  })
  return rows.map(({ seq, type, payload }) => ({ ...payload, seq, type }) as Mark)
}

/** Whether there is any of these. */
export async function hasMarks(db: Database | Tx, sessionId: string): Promise<boolean> {
  const { rows } = await db.$client.query<{ has: boolean }>({
    name: 'has_marks',
    text: `select exists (select 1 from events where stream_id = $1 and ${marksText}) as has`,
    values: [sessionId],
  })
  return rows[0]?.has ?? false
}
