import { Link, useNavigate } from '@tanstack/react-router'
import { PanelRightClose, PanelRightOpen } from 'lucide-react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import type { TerminalWindow } from '../../../src/contract/terminal.ts'
import type { SessionView } from '../../routes.tsx'
import { useStore } from '../../store.ts'
import { executionStrings } from '../../strings/execution.ts'
import { roomStrings as words } from '../../strings/room.ts'
import { sessionStrings } from '../../strings/session.ts'
import { IconButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { useIsWide } from '../../ui/use-media.ts'
import { ConversationView } from './conversation-view.tsx'
import type { ExecutionFilter, Executions, KnownExecution } from './execution-list.ts'
import { ExecutionView } from './execution-view.tsx'
import { changePanel, panel } from './panel.ts'
import { SessionMenu } from './session-menu.tsx'
import { SidePanel } from './side-panel.tsx'
import { StatusLine } from './status-line.tsx'
import { TabContent } from './tab-content.tsx'
import { useTabs } from './use-tabs.ts'
import type { Conversation } from './use-transcript.ts'
import { ViewTabs } from './view-tabs.tsx'

export interface RoomProps {
  session: Session
  agent: Agent | undefined
  /** Undefined until they are read. */
  executions: Executions | undefined
  /** The turn that is told of, where there is one. */
  shown: KnownExecution | undefined
  filter: ExecutionFilter
  isTalk: boolean
  conversation: Conversation
  view: SessionView | undefined
  window: TerminalWindow
}

/** A session: on a desk what is said with a panel beside it, on a phone one after the other. */
export function SessionRoom(props: RoomProps) {
  const { session, agent, executions, shown, isTalk, conversation, view } = props
  const navigate = useNavigate()
  const isWide = useIsWide()
  const isOpen = useStore(panel, (now) => now.isOpen)
  const { all, usual, amounts } = useTabs(props)
  const chosen = all.find((each) => each === view)
  const isBeside = isWide && (chosen !== undefined || isOpen)
  const beside = isBeside ? (chosen ?? usual) : undefined
  const instead = isWide ? undefined : chosen
  const newest = executions?.rows[0]
  const execution = isTalk ? newest : shown
  const used = execution && conversation.transcript.usage.get(execution.id)
  const toggle = () => {
    changePanel({ isOpen: !isBeside })
    if (isBeside && view) void navigate({ to: '/sessions/$id', params: { id: session.id }, replace: true })
  }
  return (
    <>
      <StatusLine
        session={session}
        agent={agent}
        execution={execution}
        used={used}
        menu={<SessionMenu session={session} agent={agent} execution={newest} isTalk={isTalk} />}
      >
        <span className="ms-auto flex min-w-0 items-center gap-2 max-lg:-mx-2.5 max-lg:me-0 max-lg:pb-1.5">
          {conversation.state === 'lost' && (
            <output className="text-small whitespace-nowrap text-mute">{executionStrings.logLost}</output>
          )}
          <ViewTabs
            sessionId={session.id}
            executionId={shown?.id}
            current={isWide ? beside : (instead ?? 'transcript')}
            all={isWide ? all : ['transcript', ...all]}
            amounts={amounts}
          />
          {isWide && (
            <IconButton
              label={isBeside ? words.hidePanel : words.showPanel}
              aria-expanded={isBeside}
              className="-me-2"
              onClick={toggle}
            >
              {isBeside ? (
                <PanelRightClose size={16} aria-hidden className="rtl:-scale-x-100" />
              ) : (
                <PanelRightOpen size={16} aria-hidden className="rtl:-scale-x-100" />
              )}
            </IconButton>
          )}
        </span>
      </StatusLine>
      <div className="flex min-h-0 grow">
        {!instead && <Middle {...props} />}
        {beside && (
          <SidePanel label={words.tab[beside]}>
            <TabContent {...props} tab={beside} used={used} />
          </SidePanel>
        )}
        {instead && (
          <div data-panel className="flex min-h-0 min-w-0 grow flex-col">
            <TabContent {...props} tab={instead} used={used} />
          </div>
        )}
      </div>
    </>
  )
}

/** What is said, or what a command writes. */
function Middle({ session, agent, executions, shown, isTalk, conversation }: RoomProps) {
  if (isTalk)
    return (
      <ConversationView
        session={session}
        agent={agent}
        conversation={conversation}
        execution={executions?.rows[0]}
        isRead={executions !== undefined}
      />
    )
  if (shown) return <ExecutionView key={shown.id} execution={shown} />
  if (!executions) return <div className="grow" />
  return (
    <Empty title={sessionStrings.nothingRan} text={sessionStrings.nothingRanText}>
      <Link to="/sessions" className="underline">
        {sessionStrings.back}
      </Link>
    </Empty>
  )
}
