import { createContext, useContext } from 'react'
import type { MessageRow } from '../session/transcript-row.ts'

/** What can be done with the parts of a chat with a model; coding agents keep their own history, and have none of this. */
export interface ChatHands {
  /** Another answer in the place of that of this turn; nothing where it is not the newest, or not over. */
  regenerate: ((executionId: string) => Promise<void>) | undefined
  /** Says something else in the place of this message. */
  rewrite: ((row: MessageRow, text: string) => Promise<void>) | undefined
  /** The turn whose answer is the newest. */
  newest: string | undefined
}

const none: ChatHands = { regenerate: undefined, rewrite: undefined, newest: undefined }

export const ChatHandsContext = createContext<ChatHands>(none)
export const useChatHands = (): ChatHands => useContext(ChatHandsContext)
