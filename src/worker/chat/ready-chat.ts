import type { Chat, ChatHistory } from '#chat/port.ts'
import type { Database } from '#db/pool.ts'
import { conversationOf } from '#events/conversation.ts'
import { takeEvent } from './history.ts'
import type { ChatPlan } from './plan-chat.ts'

/** What a turn with a model begins with. */
export interface ReadyChat {
  plan: ChatPlan
  history: ChatHistory
}

/** What was said in a session, as its log has it now. */
export async function readHistory(
  db: Database,
  chat: Pick<Chat, 'history'>,
  sessionId: string,
): Promise<ChatHistory> {
  const history = chat.history()
  for await (const { type, payload } of conversationOf(db, sessionId))
    takeEvent(history, { type, payload: JSON.parse(payload) })
  return history
}
