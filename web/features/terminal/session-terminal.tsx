import { useCallback } from 'react'
import type { ReactNode } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { Session } from '../../../src/contract/session.ts'
import type { TerminalWindow } from '../../../src/contract/terminal.ts'
import { queryClient } from '../../query-client.ts'
import { terminalStrings as words } from '../../strings/terminal.ts'
import { CancelButton } from '../session/cancel-button.tsx'
import { isLive } from '../session/execution-list.ts'
import type { KnownExecution } from '../session/execution-list.ts'
import { ExecutionSignal } from '../session/execution-signal.tsx'
import { Took } from '../session/took.tsx'
import { hasOwnInterface } from './own-interface.ts'
import { TakeOver } from './take-over.tsx'
import { TerminalPane } from './terminal-part.tsx'
import { WindowTabs } from './window-tabs.tsx'

interface Props {
  session: Session
  agent: Agent | undefined
  execution: KnownExecution | undefined
  window: TerminalWindow
  views: ReactNode
}

/** A session as a terminal: what its agent shows, and a shell in its workspace. */
export function SessionTerminal({ session, agent, execution, window, views }: Props) {
  const { id } = session
  const isAtWork = execution !== undefined && isLive(execution.status)
  const lookAgain = useCallback(() => {
    void queryClient.invalidateQueries({ queryKey: ['session', id] })
  }, [id])
  const canTakeOver = agent !== undefined && hasOwnInterface(agent)
  return (
    <div className="flex min-h-0 grow flex-col border-t border-line">
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
        {isAtWork && (
          <span className="flex max-sm:hidden">
            <CancelButton execution={execution} />
          </span>
        )}
        <TakeOver session={session} agent={agent} execution={execution} />
        <span className="ms-auto flex items-center gap-2">{views}</span>
      </div>
      <TerminalPane
        key={window}
        of={{ sessionId: id }}
        window={window}
        tabs={<WindowTabs sessionId={id} window={window} />}
        whyReadOnly={canTakeOver ? words.liveView : words.liveViewOnly}
        onEnded={lookAgain}
      />
    </div>
  )
}
