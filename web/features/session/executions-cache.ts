import type { StreamEvent } from '../../../src/contract/event.ts'
import { api } from '../../api.ts'
import { queryClient } from '../../query-client.ts'
import { approvalIn } from '../approval/waiting-cache.ts'
import { executionIn, withTold } from './execution-list.ts'
import { takeIntoLive } from './live-cache.ts'
import type { ExecutionFilter, Executions, KnownExecution } from './execution-list.ts'

export const executionsKey = (filter: ExecutionFilter) => ['executions', filter] as const

/** All sessions, as they are listed. */
export const sessionsKey = ['sessions'] as const

const remembered = 500
let count = 0
let recent: KnownExecution[] = []

/** Answers, when called, with the executions that the stream told of since: they may be newer than what was read. */
export function startListening(): () => readonly KnownExecution[] {
  const start = count
  return () => (count === start ? [] : recent.slice(Math.max(0, recent.length - (count - start))))
}

/** Takes what the stream told of executions into every list that is shown. */
export function takeExecutions(events: readonly StreamEvent[]): void {
  const told = events.flatMap(executionIn)
  if (told.length > 0) take(told)
  for (const { executionId } of events.flatMap(approvalIn))
    if (executionId !== null) countWaiting(executionId)
}

const counting = new Map<string, boolean>()

/** How many of its questions wait now: only the server knows. Asked again meanwhile, it is read once more. */
function countWaiting(id: string): void {
  if (counting.has(id)) return void counting.set(id, true)
  counting.set(id, false)
  void api
    .execution(id)
    .then(takeExecution, () => {}) // it is somebody else's, or the connection is lost, which is shown already
    .finally(() => {
      const isWantedAgain = counting.get(id)
      counting.delete(id)
      if (isWantedAgain) countWaiting(id)
    })
}

/** Takes in an execution as a request of our own was answered with it. */
export const takeExecution = (execution: KnownExecution): void => take([execution])

function take(told: readonly KnownExecution[]): void {
  count += told.length
  recent = [...recent, ...told].slice(-remembered)
  takeIntoLive(told)
  for (const [key, now] of queryClient.getQueriesData<Executions>({ queryKey: ['executions'] })) {
    const filter = key[1] as ExecutionFilter
    if (now) queryClient.setQueryData(key, withTold(now, told, filter))
  }
  listSoon()
  for (const sessionId of new Set(told.map((execution) => execution.sessionId)))
    void queryClient.invalidateQueries({ queryKey: ['session', sessionId] })
  for (const taskId of new Set(told.map((execution) => execution.taskId)))
    if (taskId) void queryClient.invalidateQueries({ queryKey: ['history', taskId] })
}

let listing = 0

/** However much happens, the list is read a few times a second, and the last time after all of it. */
function listSoon(): void {
  listing ||= window.setTimeout(() => {
    listing = 0
    if (queryClient.isFetching({ queryKey: sessionsKey }) > 0) listSoon()
    else void queryClient.invalidateQueries({ queryKey: sessionsKey })
  }, 250)
}
