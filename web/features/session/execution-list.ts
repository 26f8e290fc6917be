import type { StreamEvent } from '../../../src/contract/event.ts'
import type { Execution, ExecutionOnBoard, ExecutionStatus } from '../../../src/contract/execution.ts'

/** What was asked is known once the execution was read; the stream does not tell it. */
export type KnownExecution = ExecutionOnBoard & Partial<Pick<Execution, 'args' | 'prompt'>>

export interface ExecutionFilter {
  sessionId?: string
  taskId?: string
}
/** Newest first; `total` counts also those that have not been read yet. */
export interface Executions {
  rows: readonly KnownExecution[]
  total: number
}

/** An execution only ever goes on: of two tales of it, the one that is further is the newer. */
const progress: Record<ExecutionStatus, number> = {
  queued: 0,
  running: 1,
  cancelling: 2,
  succeeded: 3,
  failed: 3,
  cancelled: 3,
  timed_out: 3,
}
export const isLive = (status: ExecutionStatus): boolean => progress[status] < 3

const fits = (execution: KnownExecution, { sessionId, taskId }: ExecutionFilter) =>
  (!sessionId || execution.sessionId === sessionId) && (!taskId || execution.taskId === taskId)

/** What the stream told of executions; it carries other things too, now or in a later version. */
export function executionIn({ type, payload }: StreamEvent): KnownExecution[] {
  if (!type.startsWith('execution.')) return []
  const { execution } = (payload ?? {}) as { execution?: KnownExecution }
  return execution && Object.hasOwn(progress, execution.status) ? [execution] : []
}

export function withTold(
  now: Executions,
  told: readonly KnownExecution[],
  filter: ExecutionFilter,
): Executions {
  let { rows, total } = now
  for (const execution of told) {
    if (!fits(execution, filter)) continue
    const at = rows.findIndex(({ id }) => id === execution.id)
    const known = rows[at]
    if (known && progress[known.status] <= progress[execution.status])
      rows = rows.with(at, { ...known, ...execution })
    if (known) continue
    // An old one beyond what has been read comes when that is read.
    const isBeyond = rows.length < total && execution.id < (rows.at(-1)?.id ?? '')
    if (isBeyond) continue
    rows = [...rows, execution].toSorted((one, other) => (one.id < other.id ? 1 : -1))
    total += 1
  }
  return rows === now.rows ? now : { rows, total }
}

/** Adds a page to what was read before; executions may have come meanwhile, so the two can overlap. */
export function withPage(now: Executions, page: readonly KnownExecution[], total: number): Executions {
  const rows = new Map([...now.rows, ...page].map((execution) => [execution.id, execution]))
  for (const known of now.rows) {
    const read = rows.get(known.id)
    if (read && progress[known.status] > progress[read.status]) rows.set(known.id, known)
  }
  return {
    rows: [...rows.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1)),
    total: Math.max(total, rows.size),
  }
}
