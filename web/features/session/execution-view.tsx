import type { ReactNode } from 'react'
import { Aside } from './aside.tsx'
import { CancelButton } from './cancel-button.tsx'
import { Details } from './details.tsx'
import { ExecutionSignal } from './execution-signal.tsx'
import { LogActions } from './log-actions.tsx'
import { LogView } from './log-view.tsx'
import { Notices } from './notices.tsx'
import { Took } from './took.tsx'
import { useLog } from './use-log.ts'
import { WaitingHere } from './waiting-here.tsx'
import type { KnownExecution } from './execution-list.ts'

interface Props {
  execution: KnownExecution
  /** The way to another view of it, if there is one. */
  views?: ReactNode
  children: ReactNode
}

/** One execution: how it stands, what it writes, and everything that is known of it. */
export function ExecutionView({ execution, views, children }: Props) {
  const log = useLog(execution.id)
  return (
    <div className="flex min-h-0 grow border-t border-line max-lg:flex-col">
      <div className="flex min-h-0 min-w-0 grow flex-col max-lg:order-last">
        <div className="flex h-10 shrink-0 items-center gap-3 px-5.5 max-sm:h-12 max-sm:px-4">
          <span data-status={execution.status} className="font-medium">
            <ExecutionSignal execution={execution} />
          </span>
          {execution.startedAt && (
            <span className="whitespace-nowrap text-soft tabular-nums">
              <Took execution={execution} />
            </span>
          )}
          <CancelButton execution={execution} />
          <LogActions executionId={execution.id} log={log} />
          {views}
        </div>
        <Notices execution={execution} />
        <WaitingHere executionId={execution.id} />
        <LogView execution={execution} log={log} />
      </div>
      <Aside>
        <Details execution={execution} />
        {children}
      </Aside>
    </div>
  )
}
