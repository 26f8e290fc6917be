import { useCallback } from 'react'
import type { Session } from '../../../src/contract/session.ts'
import { roomApi } from '../../room-api.ts'
import { session as loggedIn } from '../../session.ts'
import { sayInChat } from '../chat/chat-api.ts'
import type { KnownExecution } from '../session/execution-list.ts'
import { maySpeak } from '../session/may-speak.ts'

/** How something is said to the agent of a session. */
export interface Say {
  agentName: string
  /** Says it as the next message. */
  send: (text: string) => Promise<void>
}

/** Null where nobody would hear it: nobody was asked yet, it is in the trash, or one may not write. */
export function useSay(session: Session, execution: KnownExecution | undefined, isChat: boolean): Say | null {
  const executionId = execution?.id
  const { id } = session
  const send = useCallback(
    async (text: string) => {
      const mayRun = loggedIn.get()?.principal.scopes.includes('run') ?? false
      if (mayRun && executionId !== undefined) await roomApi.say(executionId, text)
      else await sayInChat(id, text, [])
    },
    [id, executionId],
  )
  if (!execution || session.trashedAt || session.takenOverAt || !maySpeak(isChat)) return null
  return { agentName: execution.agentName, send }
}
