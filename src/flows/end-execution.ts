import { BOARD_STREAM } from '#contract/event.ts'
import type { NewEvent } from '#contract/event.ts'
import { dropCommands } from '#db/commands.ts'
import { appendEvents, boardEvent, lockStream, tellBoard } from '#db/events.ts'
import { asExecutionOnBoard } from '#db/executions.ts'
import type { ExecutionRow } from '#db/executions.ts'
import { changeLeased, leaseOf, lockLeased } from '#db/leases.ts'
import type { Lease } from '#db/leases.ts'
import type { Tx } from '#db/pool.ts'
import { endOf } from '#domain/execution.ts'
import type { Ended } from '#domain/execution.ts'
import { expireApprovalsOf } from './ask-approval.ts'

/** Ends an execution that we drive, for a reason that its keeper could not tell. */
export async function endExecution(tx: Tx, lease: Lease, ended: Ended): Promise<ExecutionRow> {
  await lockStream(tx, BOARD_STREAM)
  await lockStream(tx, lease.sessionId)
  return finish(tx, await lockLeased(tx, lease), ended)
}

/** The last writes of an execution. Its streams are locked, and its row is as this transaction read it. */
export async function finish(tx: Tx, row: ExecutionRow, ended: Ended): Promise<ExecutionRow> {
  const { status, error } = endOf(row.status, ended)
  const { exitCode, signal } = ended
  const last: NewEvent[] = (await dropCommands(tx, row.id)).map((type) =>
    systemLine(row.id, `Not run, agent gone: ${type}`),
  )
  last.push(...(await expireApprovalsOf(tx, row, 'Its agent does not wait for an answer any more')))
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
  return final
}

/** A line of ours in the log. */
export function systemLine(executionId: string, text: string): NewEvent {
  const chunk = Buffer.from(`${text}\n`).toString('base64')
  return { type: 'data-terminal', payload: { stream: 'system', chunk }, executionId }
}
