import { queryClient } from '../../query-client.ts'
import { isLive } from './execution-list.ts'
import type { KnownExecution } from './execution-list.ts'

/** Executions that are not over, by id. */
export type Live = ReadonlyMap<string, KnownExecution>
export const liveKey = ['live'] as const

const remembered = 1000
let over: readonly string[] = []

/** Takes in what was told of executions; one that is over stays so, whatever arrives late. */
export function takeIntoLive(told: readonly KnownExecution[]): void {
  queryClient.setQueryData<Live>(liveKey, (now) => now && withLive(now, told))
}

export function withLive(live: Live, told: readonly KnownExecution[]): Live {
  const next = new Map(live)
  for (const execution of told) {
    if (!isLive(execution.status)) {
      over = [...over, execution.id].slice(-remembered)
      next.delete(execution.id)
    } else if (!over.includes(execution.id)) next.set(execution.id, execution)
  }
  return next
}
