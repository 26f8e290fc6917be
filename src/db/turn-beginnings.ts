import type { Span } from '#domain/conversation.ts'
import type { Database } from './pool.ts'

/** Where the last turns of a piece of a conversation begin, the newest first. A word in the middle of a turn begins none. */
export async function lastTurnBeginnings(
  db: Database,
  { streamId, after, upTo }: Span,
  most: number,
): Promise<number[]> {
  const { rows } = await db.$client.query<{ seq: number }>({
    name: 'last_turn_beginnings',
    text: `select seq from events
      where stream_id = $1 and seq > $2 and seq <= $3 and type = 'data-message' and execution_id is not null
        and payload->>'commandId' is null
      order by seq desc limit $4`,
    values: [streamId, after, upTo, most],
  })
  return rows.map(({ seq }) => seq)
}
