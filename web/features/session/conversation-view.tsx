import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { ReactNode } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import { roomApi } from '../../room-api.ts'
import type { Session } from '../../../src/contract/session.ts'
import { executionStrings } from '../../strings/execution.ts'
import { transcriptStrings } from '../../strings/transcript.ts'
import { dateAndTime } from '../../ui/time.ts'
import { ChatHandsContext } from '../chat/chat-hands.ts'
import { SessionModel } from '../chat/session-model.tsx'
import { useHandsOf } from '../chat/use-hands-of.ts'
import { LockedComposer } from '../terminal/locked-composer.tsx'
import { TakeOver } from '../terminal/take-over.tsx'
import { Composer } from './composer.tsx'
import { CancelButton } from './cancel-button.tsx'
import { Details } from './details.tsx'
import { UsageLine } from './end-of-turn.tsx'
import { isLive } from './execution-list.ts'
import type { KnownExecution } from './execution-list.ts'
import { ExecutionSignal } from './execution-signal.tsx'
import { Aside } from './aside.tsx'
import { Notice, Notices } from './notices.tsx'
import { Took } from './took.tsx'
import { TranscriptView } from './transcript-view.tsx'
import { useTranscript } from './use-transcript.ts'

interface Props {
  session: Session
  agentName: string
  agent: Agent | undefined
  /** Where it is a model that answers, and not a program that has a history of its own. */
  chatAgent: Agent | undefined
  /** The newest; none before anything was asked. */
  execution: KnownExecution | undefined
  /** Stands at the end of the line that says how it goes. */
  views: ReactNode
  children: ReactNode
}

/** A session with an agent that talks: what is said, and where to say something. */
export function ConversationView(props: Props) {
  const { session, agentName, agent, chatAgent, execution, views, children } = props
  const conversation = useTranscript(session.id)
  const { silentSince, usage } = conversation.transcript
  const [sent, setSent] = useState(0)
  const onSend = useCallback(() => setSent((now) => now + 1), [])
  const isAtWork = execution !== undefined && isLive(execution.status)
  const used = execution && usage.get(execution.id)
  const hands = useHandsOf({
    sessionId: session.id,
    isChat: chatAgent !== undefined,
    isAtWork,
    executionId: execution?.id,
    transcript: conversation.transcript,
    onSend,
  })
  const firstCapability = useFirstCapability(execution ? null : session.agentId)
  return (
    <div className="flex min-h-0 grow border-t border-line max-lg:flex-col">
      <div className="flex min-h-0 min-w-0 grow flex-col max-lg:order-last">
        <div className="flex h-10 shrink-0 items-center gap-3 border-b border-line px-5.5 max-sm:h-12 max-sm:px-4">
          {execution && (
            <span data-status={execution.status} className="font-medium">
              <ExecutionSignal execution={execution} />
            </span>
          )}
          {isAtWork && execution.startedAt && (
            <span className="whitespace-nowrap text-soft tabular-nums max-sm:hidden">
              <Took execution={execution} />
            </span>
          )}
          {isAtWork && used && (
            <span className="text-small text-mute max-sm:hidden">
              <UsageLine usage={used} />
            </span>
          )}
          {/* A chat is stopped where one writes; only what has not begun cannot hear that. */}
          {execution && (!chatAgent || execution.status === 'queued') && (
            <CancelButton execution={execution} />
          )}
          {/* On a phone there is room for it in the terminal, and where one writes. */}
          <TakeOver session={session} agent={agent} execution={execution} className="max-sm:hidden" />
          {chatAgent && (
            <span className="flex min-w-0">
              <SessionModel session={session} agent={chatAgent} isAtWork={isAtWork} />
            </span>
          )}
          <span className="ms-auto flex items-center gap-2">
            {conversation.state === 'lost' && (
              <output className="text-small text-mute">{executionStrings.logLost}</output>
            )}
            {views}
          </span>
        </div>
        {isAtWork && <Notices execution={execution} />}
        {isAtWork && silentSince && (
          <Notice mark="border-2 border-mute">{transcriptStrings.silent(dateAndTime(silentSince))}</Notice>
        )}
        <ChatHandsContext value={hands}>
          <TranscriptView conversation={conversation} sent={sent} />
        </ChatHandsContext>
        {session.takenOverAt ? (
          <LockedComposer session={session} />
        ) : (
          <Composer
            key={session.id}
            sessionId={session.id}
            agentName={agentName}
            chat={chatAgent && { model: modelOf(session, chatAgent), machineId: chatAgent.machineId }}
            execution={execution}
            capabilityId={firstCapability}
            onSend={onSend}
          />
        )}
      </div>
      <Aside>
        {execution && <Details execution={execution} session={session} used={used} />}
        {children}
      </Aside>
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
