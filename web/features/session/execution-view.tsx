import type { KnownExecution } from './execution-list.ts'
import { LogActions } from './log-actions.tsx'
import { LogView } from './log-view.tsx'
import { Notices } from './notices.tsx'
import { useLog } from './use-log.ts'
import { WaitingHere } from './waiting-here.tsx'

/** A command: what it writes, what it waits for, and what people should know of it. */
export function ExecutionView({ execution }: { execution: KnownExecution }) {
  return (
    <div className="flex min-h-0 min-w-0 grow flex-col">
      <Notices execution={execution} />
      <WaitingHere executionId={execution.id} />
      <ExecutionLog execution={execution} />
    </div>
  )
}

/** What an execution's program wrote, and the ways to take it along. */
export function ExecutionLog({ execution }: { execution: KnownExecution }) {
  const log = useLog(execution.id)
  return (
    <>
      <div className="flex h-9 shrink-0 items-center ps-4 pe-2">
        <LogActions executionId={execution.id} log={log} />
      </div>
      <LogView execution={execution} log={log} />
    </>
  )
}
