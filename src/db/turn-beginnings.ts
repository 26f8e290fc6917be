import type { Span } from '#domain/conversation.ts'
import type { Database, Tx } from './pool.ts'

// Postgres can take apart no JSON that has \u0000 or half a character in it, wherever that stands; what was written with us is looked at
// as a text. A quotation mark within one is written otherwise, so nobody can say this.
const ofWord = '"commandId":'
const isWord = `position('${ofWord}' in payload::text) > 0`

/** The same of a message that was read, by its JSON. */
export const isWordInTurn = (payload: string): boolean => payload.includes(ofWord)

/** Where the last turns of a piece of a conversation begin, the newest first. A word in the middle of a turn begins none. */
export async function lastTurnBeginnings(
  db: Database | Tx,
  { streamId, after, upTo }: Span,
  most: number,
): Promise<number[]> {
  const { rows } = await db.$client.query<{ seq: number }>({
    name: 'last_turn_beginnings',
    text: `select seq from events
      where stream_id = $1 and seq > $2 and seq <= $3 and type = 'data-message' and execution_id is not null
        and not ${isWord}
      order by seq desc limit $4`,
    values: [streamId, after, upTo, most],
  })
  return rows.map(({ seq }) => seq)
}
