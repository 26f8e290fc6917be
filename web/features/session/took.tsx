import { executionStrings } from '../../strings/execution.ts'
import { duration } from '../../ui/time.ts'
import { useNow } from '../board/use-now.ts'
import type { KnownExecution } from './execution-list.ts'

/** How long it took, counting on while it runs. */
export function Took({ execution: { startedAt, endedAt } }: { execution: KnownExecution }) {
  if (!startedAt) return executionStrings.none
  if (endedAt) return duration(startedAt, endedAt, 0)
  return <Running since={startedAt} />
}

function Running({ since }: { since: string }) {
  return duration(since, null, useNow(1000))
}
