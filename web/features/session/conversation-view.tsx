import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import { roomApi } from '../../room-api.ts'
import { strings } from '../../strings/page.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { dateAndTime } from '../../ui/time.ts'
import { ChatHandsContext } from '../chat/chat-hands.ts'
import { useHandsOf } from '../chat/use-hands-of.ts'
import { LockedComposer } from '../terminal/locked-composer.tsx'
import { Composer } from './composer.tsx'
import { isLive } from './execution-list.ts'
import type { KnownExecution } from './execution-list.ts'
import { Notice, Notices } from './notices.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { TrashedBar } from './trashed-bar.tsx'
import type { Conversation } from './use-transcript.ts'
import { WaitingAbove } from './waiting-here.tsx'

interface Props {
  session: Session
  agent: Agent | undefined
  conversation: Conversation
  /** The newest; none before anything was asked. */
  execution: KnownExecution | undefined
  /** Whether it is known which one is the newest. */
  isRead: boolean
}

/** A session with an agent that talks: what is said, and where to say something. */
export function ConversationView({ session, agent, conversation, execution, isRead }: Props) {
  const { silentSince } = conversation.transcript
  const [sent, setSent] = useState(0)
  const onSend = useCallback(() => setSent((now) => now + 1), [])
  const isAtWork = execution !== undefined && isLive(execution.status)
  const isChat = agent?.adapter === 'chat'
  const hands = useHandsOf({
    sessionId: session.id,
    isChat,
    isAtWork,
    executionId: execution?.id,
    transcript: conversation.transcript,
    onSend,
  })
  const firstCapability = useFirstCapability(execution || !isRead ? null : session.agentId)
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col">
      {isAtWork && <Notices execution={execution} />}
      {isAtWork && silentSince && (
        <Notice mark="border-2 border-mute">{transcriptStrings.silent(dateAndTime(silentSince))}</Notice>
      )}
      <ChatHandsContext value={hands}>
        <TranscriptView conversation={conversation} sent={sent} />
      </ChatHandsContext>
      <WaitingAbove sessionId={session.id} conversation={conversation} />
      {session.trashedAt ? (
        <TrashedBar session={session} isChat={isChat} />
      ) : session.takenOverAt ? (
        <LockedComposer session={session} />
      ) : isRead ? (
        <Composer
          key={session.id}
          sessionId={session.id}
          agentName={execution?.agentName ?? agent?.name ?? strings.task.assignee}
          chat={isChat ? { model: modelOf(session, agent), machineId: agent.machineId } : undefined}
          execution={execution}
          capabilityId={firstCapability}
          onSend={onSend}
        />
      ) : (
        <div className="h-30 shrink-0" />
      )}
    </div>
  )
}

/** Which one answers next; null for the default. */
const modelOf = (session: Session, agent: Agent): string | null => session.model ?? agent.model

/** What a session that was only opened begins with. */
function useFirstCapability(agentId: string | null): string | undefined {
  const { data } = useQuery({
    queryKey: ['capabilities', agentId],
    queryFn: ({ signal }) => roomApi.capabilities(agentId ?? '', signal),
    enabled: agentId !== null,
  })
  return data?.find(({ interactionMode }) => interactionMode === 'prompt')?.id
}
