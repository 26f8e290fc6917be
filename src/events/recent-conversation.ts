import { hasMarks } from '#db/chat-events.ts'
import type { StoredEvent } from '#db/events.ts'
import { lastSeq } from '#db/events.ts'
import type { Database, Tx } from '#db/pool.ts'
import { lastTurnBeginnings } from '#db/turn-beginnings.ts'
import type { Span } from '#domain/conversation.ts'
import { conversationSpans, eventsIn } from './conversation.ts'

export interface Recent {
  /** The events of the last turns, in order. */
  events: AsyncGenerator<StoredEvent>
  /** There are no turns before these. */
  isWhole: boolean
  /** Where the session's stream ended then. */
  upTo: number
}

/** The end of a conversation as it stands now: as many turns as are wanted. What is older is not read. */
export async function recentConversation(
  db: Database | Tx,
  sessionId: string,
  turns: number,
): Promise<Recent> {
  return (await ofOnePiece(db, sessionId, turns)) ?? (await ofPieces(db, sessionId, turns))
}

/** Most conversations are the whole of their stream: where their turns begin can be asked before that is known. */
async function ofOnePiece(db: Database | Tx, sessionId: string, turns: number): Promise<Recent | undefined> {
  const whole = { streamId: sessionId, after: 0, upTo: Number.MAX_SAFE_INTEGER }
  const [upTo = 0, isCut, beginnings] = await Promise.all([
    lastSeq(db, sessionId),
    hasMarks(db, sessionId),
    lastTurnBeginnings(db, whole, turns + 1),
  ])
  if (isCut || beginnings.some((seq) => seq > upTo)) return undefined
  const isWhole = beginnings.length <= turns
  const after = isWhole ? 0 : (beginnings[turns - 1] ?? 1) - 1
  return { events: eventsIn(db, { streamId: sessionId, after, upTo }), isWhole, upTo }
}

async function ofPieces(db: Database | Tx, sessionId: string, turns: number): Promise<Recent> {
  const upTo = (await lastSeq(db, sessionId)) ?? 0
  const spans = await conversationSpans(db, sessionId, upTo)
  const recent: Span[] = []
  let left = turns
  let isWhole = true
  for (const span of spans.toReversed()) {
    const beginnings = await lastTurnBeginnings(db, span, left + 1)
    isWhole = beginnings.length <= left
    recent.unshift(isWhole ? span : { ...span, after: (beginnings[left - 1] ?? span.upTo + 1) - 1 })
    left -= beginnings.length
    if (!isWhole) break
  }
  return { events: eventsInAll(db, recent), isWhole, upTo }
}

async function* eventsInAll(db: Database | Tx, spans: readonly Span[]): AsyncGenerator<StoredEvent> {
  for (const span of spans) yield* eventsIn(db, span)
}
