import { useMemo } from 'react'
import { maySpeak } from '../session/may-speak.ts'
import type { MessageRow } from '../session/transcript-row.ts'
import type { Transcript } from '../session/transcript.ts'
import { regenerate, rewrite } from './chat-api.ts'
import type { SaidMessage } from './chat-api.ts'
import type { ChatHands } from './chat-hands.ts'

interface Wanted {
  sessionId: string
  isChat: boolean
  isAtWork: boolean
  /** The newest turn. */
  executionId: string | undefined
  transcript: Transcript
  onSend: () => void
}

/** What can be done with a chat now: nothing while it answers. */
export function useHandsOf(wanted: Wanted): ChatHands {
  const { sessionId, isChat, isAtWork, executionId, transcript, onSend } = wanted
  return useMemo(() => {
    if (!isChat || isAtWork || !maySpeak(isChat))
      return { regenerate: undefined, rewrite: undefined, newest: executionId }
    return {
      newest: executionId,
      regenerate: async (answerId) => {
        const asked = transcript.rows.findLast((row) => row.kind === 'message' && row.delivery === undefined)
        if (asked?.kind !== 'message') return
        onSend()
        await regenerate(sessionId, saidIn(asked), answerId)
      },
      rewrite: (row, text) => {
        onSend()
        return rewrite(sessionId, { ...saidIn(row), text })
      },
    }
  }, [sessionId, isChat, isAtWork, executionId, transcript, onSend])
}

/** As the chat's own messages are named: by their turn, and by their place in the stream. */
const saidIn = ({ executionId, key, text, files }: MessageRow): SaidMessage => ({
  id: `${executionId}.${key}`,
  text,
  files,
})
