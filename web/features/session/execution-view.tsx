import type { ReactNode } from 'react'
import { strings } from '../../strings.ts'
import { CancelButton } from './cancel-button.tsx'
import { Details } from './details.tsx'
import { ExecutionSignal } from './execution-signal.tsx'
import { LogActions } from './log-actions.tsx'
import { LogView } from './log-view.tsx'
import { Notices } from './notices.tsx'
import { Took } from './took.tsx'
import { useLog } from './use-log.ts'
import type { KnownExecution } from './execution-list.ts'

/** One execution: how it stands, what it writes, and everything that is known of it. */
export function ExecutionView({ execution, children }: { execution: KnownExecution; children: ReactNode }) {
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
        </div>
        <Notices execution={execution} />
        <LogView execution={execution} log={log} />
      </div>
      <aside className="w-72 shrink-0 overflow-y-auto border-s border-line max-lg:hidden">
        <Details execution={execution} />
        {children}
      </aside>
      <details className="group max-h-[45dvh] shrink-0 overflow-y-auto border-b border-line lg:hidden">
        <summary className="cursor-pointer px-5.5 py-2 text-soft select-none max-sm:px-4">
          {strings.execution.details}
        </summary>
        <Details execution={execution} />
        {children}
      </details>
    </div>
  )
}
