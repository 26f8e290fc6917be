import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Agent } from '../../../src/contract/agent.ts'
import type { WorkerStatus } from '../../../src/contract/machine.ts'
import { api } from '../../api.ts'
import { roomApi } from '../../room-api.ts'
import { executionStrings } from '../../strings/execution.ts'
import { dateAndTime } from '../../ui/time.ts'
import { isLive } from './execution-list.ts'
import { reasonOf } from './execution-signal.tsx'
import type { KnownExecution } from './execution-list.ts'

/** What a person should know before reading on: why it has not begun, what went wrong, what is not known. */
export function Notices({ execution }: { execution: KnownExecution }) {
  const { status, unreachableSince } = execution
  const reason = reasonOf(execution)
  const isUnreachable = isLive(status) && unreachableSince
  return (
    <output className="block">
      {isUnreachable && (
        <Notice mark="border-2 border-mute">
          {executionStrings.unreachable(dateAndTime(unreachableSince))}
        </Notice>
      )}
      {status === 'queued' && !isUnreachable && <QueuedFor execution={execution} />}
      {reason && !isLive(status) && (
        <Notice mark={status === 'cancelled' ? 'bg-mute' : 'bg-stop'}>
          <bdi>{reason}</bdi>
        </Notice>
      )}
    </output>
  )
}

export function Notice({ mark, children }: { mark: string; children: ReactNode }) {
  return (
    <p
      data-notice
      className="flex items-baseline gap-2 border-t border-line bg-panel px-5.5 py-2 wrap-anywhere max-sm:px-4"
    >
      <span aria-hidden className={`size-2 shrink-0 rounded-[1.5px] ${mark}`} />
      <span className="min-w-0">{children}</span>
    </p>
  )
}

function QueuedFor({ execution }: { execution: KnownExecution }) {
  const workers = useQuery({
    queryKey: ['workers'],
    queryFn: ({ signal }) => roomApi.workers(signal),
    refetchInterval: 5000,
    staleTime: 0,
  }).data
  const agents = useQuery({ queryKey: ['agents'], queryFn: ({ signal }) => api.agents(signal) }).data
  const worker = workers?.find(({ machineId }) => machineId === execution.machineId)
  const agent = agents?.find(({ id }) => id === execution.agentId)
  return <Notice mark="border-2 border-queue rounded-full!">{waitingFor(execution, worker, agent)}</Notice>
}

function waitingFor(
  { waitingApprovals }: KnownExecution,
  worker: WorkerStatus | undefined,
  agent: Agent | undefined,
): string {
  const words = executionStrings.queuedFor
  if (waitingApprovals > 0) return words.approval
  if (!worker) return words.start
  const { name, state, report } = worker
  if (state === 'unreachable') return words.unreachable(name)
  if (state === 'stopped') return words.stopped(name)
  if (!report) return words.start
  if (report.notClaiming) return words.notClaiming(name, report.notClaiming)
  const kind = agent?.kind === 'tool' ? 'tool' : 'coding'
  return report.live[kind] >= report.limit[kind] ? words.place(name, report.limit[kind]) : words.start
}
