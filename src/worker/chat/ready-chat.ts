import type { Chat, ChatHistory, TurnLimits } from '#chat/port.ts'
import type { Database } from '#db/pool.ts'
import { recentConversation } from '#events/recent-conversation.ts'
import { takeEvent } from './history.ts'
import type { ChatPlan } from './plan-chat.ts'

/** What a turn with a model begins with. */
export interface ReadyChat {
  plan: ChatPlan
  history: ChatHistory
}

type Shown = Pick<TurnLimits, 'historyMessages' | 'summaries'>

/** What was said in a session, as its log has it now: as much of it as a model can be shown. */
export async function readHistory(
  db: Database,
  chat: Pick<Chat, 'history'>,
  sessionId: string,
  { historyMessages, summaries }: Shown,
): Promise<ChatHistory> {
  // In most turns there are two messages at least. A summary stands for what came before some of the turns that are shown.
  const most = Math.ceil(historyMessages * 1.5)
  const few = summaries ? most : Math.ceil(historyMessages / 2) + 1
  const { history, isWhole } = await readTurns(db, chat, sessionId, few)
  const isEnough = history.summary === null && history.messages.length >= historyMessages
  if (isWhole || isEnough || few === most) return history
  return (await readTurns(db, chat, sessionId, most)).history
}

async function readTurns(db: Database, chat: Pick<Chat, 'history'>, sessionId: string, turns: number) {
  const history = chat.history()
  const { events, isWhole } = await recentConversation(db, sessionId, turns)
  for await (const { type, payload } of events) takeEvent(history, { type, payload: JSON.parse(payload) })
  return { history, isWhole }
}
