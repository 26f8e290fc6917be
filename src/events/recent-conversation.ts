import type { StoredEvent } from '#db/events.ts'
import { lastSeq } from '#db/events.ts'
import type { Database } from '#db/pool.ts'
import { lastTurnBeginnings } from '#db/turn-beginnings.ts'
import type { Span } from '#domain/conversation.ts'
import { conversationSpans, eventsIn } from './conversation.ts'

export interface Recent {
  /** The events of the last turns, in order. */
  events: AsyncGenerator<StoredEvent>
  /** There are no turns before these. */
  isWhole: boolean
}

/** The end of a conversation as it stands now: as many turns as are wanted. What is older is not read. */
export async function recentConversation(db: Database, sessionId: string, turns: number): Promise<Recent> {
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
  return { events: eventsInAll(db, recent), isWhole }
}

async function* eventsInAll(db: Database, spans: readonly Span[]): AsyncGenerator<StoredEvent> {
  for (const span of spans) yield* eventsIn(db, span)
}
