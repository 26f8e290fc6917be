import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import { dropCommands } from '#db/commands.ts'
import type { DroppedCommand } from '#db/commands.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import type { HandOver } from '#db/hand-over.ts'
import { changeLeased, leaseOf, lockLeased } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { endOf } from '#domain/execution.ts'
import type { Ended } from '#domain/execution.ts'
import { expireApprovalsOf } from './ask-approval.ts'
import { carryOn } from './carry-on.ts'
import { cancelCodeRunsOf } from './end-code-run.ts'
import { systemLine } from './system-line.ts'

/** Ends an execution that we drive, for a reason that its keeper could not tell. */
export async function endExecution(tx: Tx, lease: Lease, ended: Ended): Promise<ExecutionRow> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, lease.sessionId)
  return finish(tx, await lockLeased(tx, lease), ended)
}

/** The last writes of an execution. Its streams are locked, and its row is as this transaction read it. */
export async function finish(
  tx: Tx,
  row: ExecutionRow,
  ended: Ended,
  handOver?: Pick<HandOver, 'send'>,
): Promise<ExecutionRow> {
  const { status, error } = endOf(row.status, ended)
  const { exitCode, signal } = ended
  const { late, lost } = sortDropped(handOver ? ended.reason : 'exited', await dropCommands(tx, row.id))
  const last: NewEvent[] = lost.map(({ type }) => systemLine(row.id, `Not run, agent gone: ${type}`))
  last.push(...(await expireApprovalsOf(tx, row, 'Its agent does not wait for an answer any more')))
  await cancelCodeRunsOf(tx, row.id)
  last.push({ type: 'data-status', payload: { status, exitCode, error }, executionId: row.id })
  const lastSeq = await appendEvents(tx, row.sessionId, last)
  const final = await changeLeased(tx, leaseOf(row), {
    status,
    exitCode,
    signal,
    error,
    lastSeq,
    endedAt: new Date(),
    unreachableSince: null,
    stalledSince: null,
  })
  await tellBoard(
    tx,
    boardEvent('execution.completed', { execution: asExecutionOnBoard(final) }, row.taskId ?? undefined),
  )
  if (handOver && late.length > 0) await carryOn(tx, handOver, final, late)
  return final
}

/** Messages that came too late for a turn that ended well belong to the next one. Everything else is gone with its agent. */
function sortDropped(
  reason: Ended['reason'],
  dropped: DroppedCommand[],
): { late: DroppedCommand[]; lost: DroppedCommand[] } {
  const goesOn = reason === 'turn_completed' || reason === 'turn_interrupted'
  const isLate = ({ type }: DroppedCommand) => goesOn && type === 'message'
  return { late: dropped.filter(isLate), lost: dropped.filter((command) => !isLate(command)) }
}
