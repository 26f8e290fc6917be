import { readChatEvents, readMarks } from '#db/chat-events.ts'
import { lastSeq } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database, Tx } from '#db/pool.ts'
import { spansOf } from '#domain/conversation.ts'
import type { Span } from '#domain/conversation.ts'

/** How many forks of forks are looked through for what was said before. */
const mostForks = 100

/** Which events belong to the conversation as it stands, oldest first: nothing that was left, nothing from before a fresh start. */
export async function conversationSpans(
  db: Database | Tx,
  sessionId: string,
  upTo: number,
  depth = 0,
): Promise<Span[]> {
  const marks = await readMarks(db, sessionId, upTo)
  const forked = marks.find((mark) => mark.type === 'data-forked')
  const isKnown = forked?.after !== undefined && depth < mostForks
  const inherited = isKnown
    ? await conversationSpans(db, forked.parentSessionId, forked.after ?? 0, depth + 1)
    : []
  const changes = marks.filter((mark) => mark.type !== 'data-forked')
  return spansOf(sessionId, changes, upTo, inherited)
}

/**
 * The events of the conversation as it stands now: those of executions, since the last fresh start, without branches that were left,
 * and in a fork after what its parent had said by then. What a program wrote beside its protocol is not among them.
 */
export async function* conversationOf(db: Database | Tx, sessionId: string): AsyncGenerator<StoredEvent> {
  const upTo = (await lastSeq(db, sessionId)) ?? 0
  for (const span of await conversationSpans(db, sessionId, upTo)) yield* eventsIn(db, span)
}

export async function* eventsIn(
  db: Database | Tx,
  { streamId, after, upTo }: Span,
): AsyncGenerator<StoredEvent> {
  for (let at = after; at < upTo;) {
    const page = await readChatEvents(db, streamId, at, upTo)
    const last = page.at(-1)
    if (!last) return
    yield* page
    at = last.seq
  }
}
