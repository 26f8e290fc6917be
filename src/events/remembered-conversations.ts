import { isMark, readNewer } from '#db/chat-events.ts'
import { sizeOf } from '#db/events.ts'
import type { StoredEvent } from '#db/events.ts'
import type { Database, Tx } from '#db/pool.ts'
import { recentConversation } from './recent-conversation.ts'

export interface RememberedConversations {
  /** The end of a conversation as it stands now: as many turns as are wanted, or more. */
  recent(
    db: Database | Tx,
    sessionId: string,
    turns: number,
  ): Promise<{ events: StoredEvent[]; isWhole: boolean }>
}

interface Remembered {
  turns: number
  events: StoredEvent[]
  isWhole: boolean
  /** Everything up to here is among them. */
  upTo: number
  /** With so many it is read anew, and what is too old is let go. */
  mostEvents: number
}

const mostSessions = 50
const mostCharacters = 262_144

/**
 * Reads of a conversation what is new since it was read last. A log only grows; where it tells that something of it does not belong to
 * the conversation any more, all of it is read anew.
 */
export function rememberConversations(): RememberedConversations {
  const known = new Map<string, Remembered>()

  function remember(sessionId: string, conversation: Remembered): void {
    known.delete(sessionId) // so that those which were used last come last
    if (sizeOf(conversation.events) > mostCharacters) return
    known.set(sessionId, conversation)
    const [oldest] = known.keys()
    if (known.size > mostSessions && oldest !== undefined) known.delete(oldest)
  }

  return {
    async recent(db, sessionId, turns) {
      const before = known.get(sessionId)
      if (before && before.turns >= turns) {
        const { events: newer, more } = await readNewer(db, sessionId, before.upTo)
        const events = [...before.events, ...newer]
        if (!more && events.length <= before.mostEvents && !newer.some(isMark)) {
          remember(sessionId, { ...before, events, upTo: newer.at(-1)?.seq ?? before.upTo })
          return { events, isWhole: before.isWhole }
        }
      }
      const { upTo, isWhole, events: read } = await recentConversation(db, sessionId, turns)
      const events: StoredEvent[] = []
      for await (const event of read) events.push(event)
      remember(sessionId, { turns, events, isWhole, upTo, mostEvents: events.length * 2 + 200 })
      return { events, isWhole }
    },
  }
}
