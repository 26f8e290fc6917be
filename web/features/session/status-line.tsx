import type { ReactNode } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Usage } from '../../../src/contract/agent-event.ts'
import type { Session } from '../../../src/contract/session.ts'
import { SessionModel } from '../chat/session-model.tsx'
import { TakeOver } from '../terminal/take-over.tsx'
import { CancelButton } from './cancel-button.tsx'
import { UsageLine } from './end-of-turn.tsx'
import { isLive } from './execution-list.ts'
import type { KnownExecution } from './execution-list.ts'
import { ExecutionSignal } from './execution-signal.tsx'
import { Took } from './took.tsx'

interface Props {
  session: Session
  agent: Agent | undefined
  /** The turn that is told of; none before anything was asked. */
  execution: KnownExecution | undefined
  used: Usage | undefined
  menu: ReactNode
  children: ReactNode
}

/** How a session stands, what can be done about it, and at its end the way to its parts. */
export function StatusLine({ session, agent, execution, used, menu, children }: Props) {
  const isAtWork = execution !== undefined && isLive(execution.status)
  const isChat = agent?.adapter === 'chat'
  return (
    <div className="flex shrink-0 items-center gap-3 border-y border-line px-5.5 max-lg:flex-col max-lg:items-stretch max-lg:gap-0 max-sm:px-4">
      <div className="flex min-h-10 min-w-0 shrink-0 items-center gap-3 max-sm:min-h-12">
        {execution && (
          <span data-status={execution.status} className="font-medium">
            <ExecutionSignal execution={execution} />
          </span>
        )}
        {execution?.startedAt && (
          <span className="whitespace-nowrap text-soft tabular-nums max-sm:hidden">
            <Took execution={execution} />
          </span>
        )}
        {isAtWork && used && (
          <span className="text-small text-mute max-xl:hidden">
            <UsageLine usage={used} />
          </span>
        )}
        {/* A chat is stopped where one writes; only what has not begun cannot hear that. */}
        {execution && (!isChat || execution.status === 'queued') && <CancelButton execution={execution} />}
        <TakeOver session={session} agent={agent} execution={execution} />
        {isChat && (
          <span className="flex min-w-0">
            <SessionModel session={session} agent={agent} isAtWork={isAtWork} />
          </span>
        )}
        <span className="max-lg:ms-auto">{menu}</span>
      </div>
      {children}
    </div>
  )
}
