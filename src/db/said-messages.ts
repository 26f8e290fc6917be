import type { Prompt } from '#contract/agent-event.ts'
import type { Span } from '#domain/conversation.ts'
import { largestPage } from './events.ts'
import type { Database, Tx } from './pool.ts'

/** That a person said something: what a turn began with, or a word in the middle of one. */
export interface SaidMessage {
  streamId: string
  seq: number
  executionId: string
  /** It was said in the middle of a turn. */
  isWord: boolean
  /** What the client that said it calls it. */
  messageId: string | null
}

interface SaidRow {
  seq: number
  executionId: string
  payload: Prompt & { commandId?: string; messageId?: string }
}

const mostMessages = 1_000

// Pictures may be in it: those beyond the page are not read.
const saidText = `
  select seq, "executionId", payload from (
    select *, sum(size) over (order by seq rows unbounded preceding) - size as before from (
      select seq, execution_id as "executionId", payload, size from events
      where stream_id = $1 and seq > $2 and seq <= $3 and type = 'data-message' and execution_id is not null
      order by seq limit ${mostMessages}
    ) as next
  ) as measured
  where before < ${largestPage} order by seq`

/** When people said something in a piece of a conversation, in order. */
export async function readSaid(db: Database | Tx, { streamId, after, upTo }: Span): Promise<SaidMessage[]> {
  const said: SaidMessage[] = []
  for (let at = after; ;) {
    const { rows } = await db.$client.query<SaidRow>({
      name: 'read_said',
      text: saidText,
      values: [streamId, at, upTo],
    })
    const last = rows.at(-1)
    if (!last) return said
    for (const { seq, executionId, payload } of rows) {
      const { commandId, messageId = null } = payload
      said.push({ streamId, seq, executionId, isWord: commandId !== undefined, messageId })
    }
    at = last.seq
  }
}

/** Where somebody said something last in the middle of a turn. */
export async function lastWordIn(
  db: Database | Tx,
  { streamId, executionId, after }: { streamId: string; executionId: string; after: number },
): Promise<number | undefined> {
  const { rows } = await db.$client.query<{ seq: number }>(
    `select seq from events
    where stream_id = $1 and seq > $2 and execution_id = $3 and type = 'data-message'
      and payload ->> 'commandId' is not null
    order by seq desc limit 1`,
    [streamId, after, executionId],
  )
  return rows[0]?.seq
}

/** What was said there. */
export async function readWords(tx: Tx, { streamId, seq }: SaidMessage): Promise<Prompt> {
  const { rows } = await tx.$client.query<{ payload: Prompt }>(
    'select payload from events where stream_id = $1 and seq = $2',
    [streamId, seq],
  )
  const [row] = rows
  if (!row) throw new Error(`Event ${seq} of ${streamId} is gone`)
  return { text: row.payload.text, files: row.payload.files }
}
