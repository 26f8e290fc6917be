import type { Chat, ChatHistory } from '#chat/port.ts'
import type { Config } from '#config/config.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { Database, Tx } from '#db/pool.ts'
import { rememberConversations } from '#events/remembered-conversations.ts'
import { takeEvent } from './history.ts'
import type { ChatPlan } from './plan-chat.ts'

/** What a turn with a model begins with. */
export interface ReadyChat {
  plan: ChatPlan
  history: ChatHistory
  /** It as it is once its lease is taken; until then the model may think. Undefined when somebody else has begun it, or ended it. */
  taken: Promise<ExecutionRow | undefined>
}

/** Of this process. */
const conversations = rememberConversations()

type Shown = Pick<Config['chat'], 'maxHistoryMessages' | 'summaries'>

/** What was said in a session, as its log has it now: as much of it as a model can be shown. */
export async function readHistory(
  db: Database | Tx,
  chat: Pick<Chat, 'history'>,
  sessionId: string,
  { maxHistoryMessages, summaries }: Shown,
): Promise<ChatHistory> {
  // In most turns there are two messages at least. A summary stands for what came before some of the turns that are shown.
  const most = Math.ceil(maxHistoryMessages * 1.5)
  const few = summaries ? most : Math.ceil(maxHistoryMessages / 2) + 1
  const { history, isWhole } = await readTurns(db, chat, sessionId, few)
  const isEnough = history.summary === null && history.messages.length >= maxHistoryMessages
  if (isWhole || isEnough || few === most) return history
  return (await readTurns(db, chat, sessionId, most)).history
}

async function readTurns(db: Database | Tx, chat: Pick<Chat, 'history'>, sessionId: string, turns: number) {
  const history = chat.history()
  const { events, isWhole } = await conversations.recent(db, sessionId, turns)
  for (const event of events) takeEvent(history, event)
  return { history, isWhole }
}
