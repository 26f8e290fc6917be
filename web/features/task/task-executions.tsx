import { Link } from '@tanstack/react-router'
import { useMemo } from 'react'
import { strings } from '../../strings/page.ts'
import { taskStrings } from '../../strings/task.ts'
import { buttonLook } from '../../ui/button.tsx'
import { ChangesSize } from '../../ui/changes-size.tsx'
import { age, dateAndTime } from '../../ui/time.ts'
import { ApprovalCard } from '../approval/approval-card.tsx'
import { useWaiting } from '../approval/waiting.ts'
import { useNow } from '../board/use-now.ts'
import { ExecutionSignal } from '../session/execution-signal.tsx'
import { useExecutions } from '../session/executions.ts'
import { Section } from './section.tsx'

const shown = 8

/** What agents did for a task, newest first. Before any did, there is nothing to say. */
export function TaskExecutions({ taskId }: { taskId: string }) {
  const filter = useMemo(() => ({ taskId }), [taskId])
  const now = useNow()
  const { data } = useExecutions(filter)
  const waiting = useWaiting().data?.rows
  if (!data || data.total === 0) return null
  const asked = (waiting ?? []).filter(({ executionId }) => data.rows.some(({ id }) => id === executionId))
  const newest = data.rows[0]
  return (
    <Section title={taskStrings.executions} count={data.total}>
      {asked.map((approval) => (
        <div key={approval.id} className="pb-2">
          <ApprovalCard approval={approval} takesKeys={false} />
        </div>
      ))}
      {newest && (
        <Link to="/sessions/$id" params={{ id: newest.sessionId }} className={`${buttonLook()} mb-1`}>
          {strings.board.openSession}
        </Link>
      )}
      <ul className="-mx-1.5">
        {data.rows.slice(0, shown).map((execution) => (
          <li key={execution.id}>
            <Link
              to="/sessions/$id"
              params={{ id: execution.sessionId }}
              search={{ execution: execution.id }}
              className="flex items-center gap-2 rounded-control px-1.5 py-1 hover:bg-raise max-sm:py-2"
            >
              <ExecutionSignal execution={execution} />
              <bdi className="min-w-0 truncate font-medium">{execution.agentName}</bdi>
              <bdi className="min-w-0 truncate text-mute">{execution.capabilityKey}</bdi>
              {execution.changes && execution.changes.files > 0 && (
                <ChangesSize changes={execution.changes} />
              )}
              <time
                dateTime={execution.createdAt}
                title={dateAndTime(execution.createdAt)}
                className="ms-auto shrink-0 text-small text-mute"
              >
                {age(execution.createdAt, now)}
              </time>
            </Link>
          </li>
        ))}
      </ul>
      {data.total > shown && (
        <Link to="/sessions" className="text-small text-mute hover:text-text">
          {taskStrings.allExecutions}
        </Link>
      )}
    </Section>
  )
}
