import type { Approval } from '../../../src/contract/approval.ts'
import type { Asked } from './approval-card.tsx'

/** Those that a plain yes or no answers. */
const isPlain = ({ kind, questions, schema }: Asked): boolean =>
  kind === 'tool' && questions === null && schema === null

/** Calls of one step that wait and can be answered together; undefined when there are not several. */
export function queueOf<One extends Asked>(waiting: readonly One[]): One[] | undefined {
  const queue = waiting.filter((asked) => (asked.total ?? 0) > 1 && isPlain(asked))
  return queue.length > 1 ? queue : undefined
}

const groupOf = ({ executionId, total, id }: Approval): string =>
  executionId !== null && total > 1 ? executionId : id

/** Puts the questions of one step together, in their order, where the first of them stands. */
export const grouped = (rows: readonly Approval[]): Approval[] =>
  [...Map.groupBy(rows, groupOf).values()].flatMap((group) =>
    group.toSorted((one, other) => one.position - other.position),
  )

/** The queue that this one is the first of. */
export const queueFrom = (rows: readonly Approval[], at: number): Approval[] | undefined => {
  const first = rows[at]
  const before = rows[at - 1]
  if (!first || (before && groupOf(before) === groupOf(first))) return undefined
  return queueOf(rows.filter((row) => groupOf(row) === groupOf(first)))
}
