import { useEffect, useState } from 'react'
import { createStore, useStore } from '../../store.ts'
import { followTranscript } from './follow-transcript.ts'
import { Transcript } from './transcript.ts'

export interface Conversation {
  transcript: Transcript
  /** Grows with everything that is said. */
  version: number
  state: 'opening' | 'live' | 'lost' | 'ended'
  /** Why it cannot be shown (any further). */
  problem: string | null
  /** Whether there is more before what is here; `failed` when it could not be read. */
  earlier: 'none' | 'some' | 'reading' | 'failed'
  readEarlier: () => void
  /** Somebody reads further up: what they read is not let go for what is new. */
  setReading: (isReading: boolean) => void
}

/** What is said in a session, from the newest back, for as long as it is looked at. */
export function useTranscript(sessionId: string, isWanted: boolean): Conversation {
  const [conversation] = useState(() => createStore<Conversation>(empty()))
  useEffect(() => {
    conversation.set(empty())
    return isWanted ? followTranscript(sessionId, conversation) : undefined
  }, [sessionId, conversation, isWanted])
  return useStore(conversation)
}

const empty = (): Conversation => ({
  transcript: new Transcript(),
  version: 0,
  state: 'opening',
  problem: null,
  earlier: 'none',
  readEarlier: () => undefined,
  setReading: () => undefined,
})
