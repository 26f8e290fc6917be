import type { Execution } from '../../../src/contract/execution.ts'
import type { Task, TaskEvent, TaskStatus } from '../../../src/contract/task.ts'
import { session } from '../../session.ts'
import { executionStrings } from '../../strings/execution.ts'
import { historyStrings } from '../../strings/history.ts'
import { taskStrings } from '../../strings/task.ts'
import { strings } from '../../strings/page.ts'
import { ago, dateAndTime } from '../../ui/time.ts'
import { useAgentName } from '../agent/agent-name.ts'
import { useNow } from '../board/use-now.ts'
import { Section } from './section.tsx'
import { useHistory } from './task-queries.ts'

/** What happened to a task, newest first. */
export function History({ task }: { task: Task }) {
  const now = useNow()
  const lines = useHistory(task.id)?.data ?? []
  const agentName = useAgentName()
  return (
    <Section title={taskStrings.history}>
      <ol className="pb-2 text-small">
        {lines.toReversed().map((line) => (
          <li key={line.seq} className="flex gap-2 py-0.5">
            <span className="min-w-0 wrap-anywhere text-soft">{told(line, agentName)}</span>
            <time dateTime={line.at} title={dateAndTime(line.at)} className="ms-auto shrink-0 text-mute">
              {ago(line.at, now)}
            </time>
          </li>
        ))}
      </ol>
    </Section>
  )
}

function told({ type, payload }: TaskEvent, agentName: (who: string) => string | undefined): string {
  const what = whatHappened(type, payload)
  const by = payload['by']
  if (typeof by !== 'string' || by === session.get()?.principal.id) return what
  return `${what} ${historyStrings.by(by === 'owner' ? historyStrings.owner : (agentName(by) ?? by))}`
}

function whatHappened(type: string, payload: TaskEvent['payload']): string {
  const words = historyStrings
  switch (type) {
    case 'created':
      return words.created
    case 'edited': {
      const fields = Array.isArray(payload['changed']) ? payload['changed'].map(String) : []
      return words.edited(fields.map((field) => words.fields[field] ?? field).join(', '))
    }
    case 'moved':
      return words.moved(
        strings.status[payload['from'] as TaskStatus] ?? '',
        strings.status[payload['to'] as TaskStatus] ?? '',
      )
    case 'reordered':
      return words.reordered
    case 'assigned':
      return payload['to'] === null ? words.unassigned : words.assignedAnew
    case 'dependency_added':
      return words.dependencyAdded
    case 'dependency_removed':
      return words.dependencyRemoved
    case 'approval_asked':
      return words.approvalAsked
    case 'approval_answered':
      return (
        words.approvalAnswered[(payload['approval'] as { status?: string } | undefined)?.status ?? ''] ?? type
      )
    default:
      return whatRan(type, payload['execution'] as Execution | undefined) ?? type
  }
}

function whatRan(type: string, execution: Execution | undefined): string | undefined {
  const words = historyStrings
  if (!execution) return undefined
  const { agentName, status } = execution
  if (type === 'execution_queued') return words.executionQueued(agentName)
  if (type === 'execution_started') return words.executionStarted(agentName)
  if (type === 'execution_cancelling') return words.executionCancelling(agentName)
  if (type === 'execution_completed')
    return words.executionCompleted(agentName, executionStrings.status[status])
  return undefined
}
