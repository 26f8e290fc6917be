import { isMark, readNewer } from '#db/chat-events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database, Tx } from '#db/pool.ts'
import { isWordInTurn } from '#db/turn-beginnings.ts'
import { recentConversation } from './recent-conversation.ts'

/** An event, read: nobody changes what it says. */
interface SaidEvent {
  seq: number
  type: string
  payload: unknown
  /** In characters. */
  size: number
  beginsTurn: boolean
}

export interface RememberedConversations {
  /** The end of a conversation as it stands now: as many turns as are wanted, or more. */
  recent(
    db: Database | Tx,
    sessionId: string,
    turns: number,
  ): Promise<{ events: readonly SaidEvent[]; isWhole: boolean }>
}

interface Remembered {
  turns: number
  events: SaidEvent[]
  isWhole: boolean
  /** Everything up to here is among them, unless it is too old. */
  upTo: number
}

const mostSessions = 50
const mostCharacters = 262_144

/**
 * Reads of a conversation what is new since it was read last. A log only grows; where it tells that something of it does not belong to
 * the conversation any more, all of it is read anew.
 */
export function rememberConversations(): RememberedConversations {
  const known = new Map<string, Remembered>()

  function remember(sessionId: string, conversation: Remembered): Remembered {
    known.delete(sessionId) // so that those which were used last come last
    if (conversation.events.reduce((sum, { size }) => sum + size, 0) > mostCharacters) return conversation
    known.set(sessionId, conversation)
    const [oldest] = known.keys()
    if (known.size > mostSessions && oldest !== undefined) known.delete(oldest)
    return conversation
  }

  return {
    async recent(db, sessionId, turns) {
      const before = known.get(sessionId)
      if (before && before.turns >= turns) {
        const { events: newer, more } = await readNewer(db, sessionId, before.upTo)
        if (!more && !newer.some(isMark)) return remember(sessionId, grown(before, newer))
      }
      const { upTo, isWhole, events: read } = await recentConversation(db, sessionId, turns)
      const events: SaidEvent[] = []
      for await (const event of read) events.push(said(event))
      return remember(sessionId, { turns, events, isWhole, upTo })
    },
  }
}

/** With what is new, and without what is too old. */
function grown(
  { turns, events: before, isWhole, upTo }: Remembered,
  newer: readonly StoredEvent[],
): Remembered {
  const events = [...before, ...newer.map(said)]
  const beginnings = events.flatMap(({ beginsTurn }, place) => (beginsTurn ? [place] : []))
  const first = beginnings.at(-turns)
  const isLong = beginnings.length > turns && first !== undefined
  return {
    turns,
    events: isLong ? events.slice(first) : events,
    isWhole: isWhole && !isLong,
    upTo: newer.at(-1)?.seq ?? upTo,
  }
}

const said = ({ seq, type, payload }: StoredEvent): SaidEvent => ({
  seq,
  type,
  payload: JSON.parse(payload),
  size: payload.length,
  beginsTurn: type === 'data-message' && !isWordInTurn(payload),
})
