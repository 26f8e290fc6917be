import { Link } from '@tanstack/react-router'
import { roomStrings } from '../../room-strings.ts'
import { age, dateAndTime } from '../../ui/time.ts'
import { useTaskTitle } from '../task/task-queries.ts'
import { ExecutionSignal, reasonOf } from './execution-signal.tsx'
import { Took } from './took.tsx'
import type { KnownExecution } from './execution-list.ts'

export const columns =
  'grid grid-cols-[116px_minmax(0,1fr)_minmax(0,1.2fr)_72px_92px] items-center gap-x-4 tabular-nums'

/** One execution in the list of all; the whole row leads to it. */
export function ExecutionRow({ execution, now }: { execution: KnownExecution; now: number }) {
  const { id, sessionId, agentName, capabilityKey, taskId, startedAt, createdAt } = execution
  return (
    <Link
      to="/sessions/$id"
      params={{ id: sessionId }}
      search={{ execution: id }}
      data-execution={id}
      className={`${columns} h-9 border-b border-line px-5.5 hover:bg-panel focus-visible:-outline-offset-2 max-sm:h-14 max-sm:grid-cols-[116px_minmax(0,1fr)_auto] max-sm:gap-x-3 max-sm:px-4`}
    >
      <ExecutionSignal execution={execution} />
      <span className="flex min-w-0 gap-1.5 max-sm:col-span-2">
        <bdi className="truncate font-medium">{agentName}</bdi>
        <bdi className="truncate text-mute">{capabilityKey}</bdi>
      </span>
      <span className="min-w-0 truncate text-soft max-sm:col-start-1 max-sm:col-end-3 max-sm:row-start-2 max-sm:text-small">
        {taskId ? <TaskTitle id={taskId} /> : <bdi className="text-mute">{reasonOf(execution)}</bdi>}
      </span>
      <time
        dateTime={startedAt ?? createdAt}
        title={dateAndTime(startedAt ?? createdAt)}
        className="text-end text-mute max-sm:hidden"
      >
        {age(startedAt ?? createdAt, now)}
      </time>
      <span className="text-end text-soft max-sm:text-small">
        <Took execution={execution} />
      </span>
    </Link>
  )
}

export function TaskTitle({ id }: { id: string }) {
  const task = useTaskTitle(id)
  if (task === null) return roomStrings.execution.deletedTask
  return <bdi>{task?.title}</bdi>
}
